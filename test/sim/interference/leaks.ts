import { inController, inCore, type Mutant, mutant } from '../mutants/mutant.ts';

/** Ways in which what people wrote could steer what is done: the comparison of pairs must find each. */
export const leaks: readonly Mutant[] = [
  mutant(
    'the title decides the order',
    'the more urgent issue goes first, then the older',
    inCore(
      'admission',
      '(a.issue.priority ?? 5) - (b.issue.priority ?? 5) ||',
      'a.issue.title.length - b.issue.title.length ||',
    ),
  ),
  mutant(
    'a word of the body keeps an issue from starting',
    'an issue starts by its column alone',
    inCore(
      'admission',
      'if (issue.trusted === true) return undefined;',
      "if (issue.trusted === true && !issue.description.includes('please ignore this')) return undefined;",
    ),
  ),
  mutant(
    'the title goes along with the launch',
    'a launch carries opaque ids only',
    inController(
      'start-turn',
      'ticket: seal.ticket(turn.turnId),',
      'ticket: seal.ticket(turn.turnId), ...{ name: turn.issue.title },',
    ),
  ),
  mutant(
    'the title stands in a log line',
    'no line of the log holds a text of people',
    inController(
      'start-turn',
      "tell(run, 'claimed', lease, { from: issue.state });",
      "tell(run, 'claimed', lease, { from: issue.state, problem: issue.title });",
    ),
  ),
  mutant(
    'the body is kept in the ledger',
    'the ledger keeps what people wrote in the record of a turn alone',
    inController(
      'start-turn',
      'feedback: before.feedback,',
      'feedback: before.feedback ?? issue.description,',
    ),
  ),
  mutant(
    'the title is part of the marker',
    'a comment is found by the id of its issue',
    inController(
      'write-back',
      'const marker = commentMarker(run.board.id, lease.issueId);',
      'const marker = commentMarker(run.board.id, lease.issueId) + reading.issue.title;',
    ),
  ),
];
