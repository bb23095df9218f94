import { turnEndLambda } from '../../../../functions/lambda/turn-end.ts';
import { localBoards } from '../local-boards.ts';

export const handler = turnEndLambda(localBoards);
