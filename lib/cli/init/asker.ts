import checkbox from '@inquirer/checkbox';
import input from '@inquirer/input';
import select from '@inquirer/select';
import type { CliContext } from '../cli-context.ts';
import { harmlessLine } from '../harmless-text.ts';

/** A question that an option answers, too. */
export interface Question<Answer> {
  /** The option, with what it takes: `--base <branch>`. */
  readonly option: string;
  readonly message: string;
  /** What the option said. */
  readonly given: Answer | undefined;
  readonly suggested: Answer | undefined;
}

export interface Choice<Value> {
  readonly value: Value;
  readonly name: string;
  /** Why it cannot be chosen. */
  readonly disabled?: string;
}

/** Answers questions: by options, by what is suggested, or by a person at a terminal. */
export interface Asker {
  /** Whether a person is there, and wants to be asked. */
  readonly isAttended: boolean;
  text(question: Question<string> & { readonly check?: (text: string) => true | string }): Promise<string>;
  one<Value>(question: Question<Value> & { readonly choices: readonly Choice<Value>[] }): Promise<Value>;
  many(
    question: Question<readonly string[]> & {
      readonly choices: readonly Choice<string>[];
      readonly atLeastOne?: boolean;
    },
  ): Promise<readonly string[]>;
  /** Throws `UnansweredError` for questions that only had a suggestion, which nobody has agreed to. */
  settle(): void;
}

/** Nobody could be asked. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/** A person ended the questions with Ctrl-C or Ctrl-D. */
export class LeftError extends Error {
  override readonly name = 'LeftError';
}

/** `takeSuggested` is the word of a person that what is suggested will do. */
export function makeAsker(context: CliContext, takeSuggested: boolean): Asker {
  const isTerminal = context.stdin.isTerminal && context.stderr.isTerminal;
  return isTerminal ? attendedAsker(context, takeSuggested) : unattendedAsker(takeSuggested);
}

function unattendedAsker(takeSuggested: boolean): Asker {
  const open: { readonly option: string; readonly suggested: unknown }[] = [];
  const answer = async <Answer>({ option, given, suggested }: Question<Answer>): Promise<Answer> => {
    if (given !== undefined) return given;
    if (!takeSuggested || suggested === undefined) open.push({ option, suggested });
    // What is suggested leads on to the questions behind this one, so that all of them can be named at once.
    if (suggested === undefined) throw unanswered();
    return suggested;
  };
  const unanswered = () => {
    const missing = open.map(
      ({ option, suggested }) =>
        `  ${option}${suggested === undefined ? '' : `   (suggested: ${describe(suggested)})`}`,
    );
    const remedy = takeSuggested ? '' : '; --yes takes what is suggested';
    return new UnansweredError(
      [
        'There is nobody to ask, and this is not answered. Give it by option'.concat(remedy, ':'),
        ...missing,
      ].join('\n'),
    );
  };
  return {
    isAttended: false,
    text: answer,
    one: answer,
    many: answer,
    settle: () => {
      if (open.length > 0) throw unanswered();
    },
  };
}

function describe(suggested: unknown): string {
  const all = (Array.isArray(suggested) ? suggested : [suggested]).filter((one) => one !== '');
  return all.length === 0 ? 'none' : all.map((one) => JSON.stringify(harmlessLine(String(one)))).join(' ');
}

/** On stderr, so that stdout holds the result alone. */
function attendedAsker({ stdin, stderr }: CliContext, takeSuggested: boolean): Asker {
  type Context = NonNullable<Parameters<typeof input>[1]>;
  async function ask<Answer>(
    { given, suggested }: Question<Answer>,
    prompt: (context: Context) => Promise<Answer>,
  ): Promise<Answer> {
    const answered = given ?? (takeSuggested ? suggested : undefined);
    if (answered !== undefined) return answered;
    const left = new AbortController();
    // Without this Ctrl-D would leave a question that nothing answers any more.
    const watch = (_: unknown, key?: { readonly ctrl?: boolean; readonly name?: string }) => {
      if (key?.ctrl === true && key.name === 'd') left.abort();
    };
    stdin.stream.on('keypress', watch);
    try {
      return await prompt({ input: stdin.stream, output: stderr.stream, signal: left.signal });
    } catch (error) {
      const { name } = error as Error;
      throw name === 'ExitPromptError' || name === 'AbortPromptError' ? new LeftError() : error;
    } finally {
      stdin.stream.off('keypress', watch);
    }
  }
  return {
    isAttended: !takeSuggested,
    text: async (question) => {
      const { message, suggested, check } = question;
      const text = await ask(question, (context) =>
        input(
          {
            message,
            required: true,
            ...(suggested === undefined ? {} : { default: suggested }),
            ...(check === undefined ? {} : { validate: (typed) => check(typed.trim()) }),
          },
          context,
        ),
      );
      return text.trim();
    },
    one: (question) => {
      const { message, suggested } = question;
      const choices = question.choices.map(harmless);
      return ask(question, (context) =>
        select(
          { ...list, message, choices, ...(suggested !== undefined && { default: suggested }) },
          context,
        ),
      );
    },
    many: (question) => {
      const { message, suggested, atLeastOne = false } = question;
      const choices = question.choices.map((one) => ({
        ...harmless(one),
        checked: suggested?.includes(one.value) === true,
      }));
      return ask(question, (context) =>
        checkbox({ ...list, message, required: atLeastOne, choices }, context),
      );
    },
    settle: () => undefined,
  };
}

/** A repository may have a hundred labels. */
const list = { pageSize: 12, loop: false };

/** Names of states come from the board, and must not steer the terminal. */
function harmless<Value>(choice: Choice<Value>): Choice<Value> {
  return { ...choice, name: harmlessLine(choice.name) };
}
