import { turnApiLambda } from '../../../../functions/lambda/turn-api.ts';
import { localBoards } from '../local-boards.ts';

export const handler = turnApiLambda(localBoards);
