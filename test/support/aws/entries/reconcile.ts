import { reconcileLambda } from '../../../../functions/lambda/reconcile.ts';
import { localBoards } from '../local-boards.ts';

export const handler = reconcileLambda(localBoards);
