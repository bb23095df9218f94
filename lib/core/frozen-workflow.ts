import * as z from 'zod';
import { workflowSchema } from './workflow-schema.ts';

/**
 * A workflow as it is kept beside a turn: defaults are filled in already, so that an absent state means that there is
 * none, and stays so when it is read again.
 */
export const frozenWorkflowSchema = workflowSchema.extend({
  tracker: workflowSchema.shape.tracker.extend({
    /** Undefined: no state is written when a turn starts. */
    in_progress_state: z.string().optional(),
    /** Undefined: no state is written when a turn has ended. */
    handoff_state: z.string().optional(),
  }),
  /** As written in the file: `owner/repo`, a URL, or a path relative to the file. */
  repository: z.string(),
  prompt: z.string(),
  /** The first 16 hex digits of the file's SHA-256. */
  policyHash: z.string(),
});
