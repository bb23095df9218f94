/** What is left of a hook when the git work is taken out that evenkeel does itself. */
export interface TranslatedHook {
  /** Undefined when nothing is left. */
  readonly script: string | undefined;
  /** What a person should know; undefined when it stands as it was. */
  readonly says: string | undefined;
}

const why =
  "evenkeel checks the issue's branch out, commits what an agent leaves, and delivers it, and neither hooks nor agents can push";

/**
 * Takes the lines out of a shell script that clone, check out, commit or push. A script that does so in the middle of
 * something is left out as a whole: half of it would be another script.
 */
export function translateHook(script: string): TranslatedHook {
  const lines = script.split('\n');
  if (!lines.some((line) => gitWork.test(line))) return { script, says: tellVariables(script) };
  if (!lines.every(standsAlone)) {
    return {
      script: undefined,
      says: `it was left out, because it does git work among other things: ${why}. What else it does has to be written anew`,
    };
  }
  const left = lines.filter((line) => !gitWork.test(line));
  if (!left.some(doesSomething)) return { script: undefined, says: `it was left out: ${why}` };
  const kept = left.join('\n');
  const more = tellVariables(kept);
  return {
    script: kept,
    says: `its lines with git were left out: ${why}${more === undefined ? '' : `; ${more}`}`,
  };
}

/** The repository that scripts clone, and the branch that they begin from, as far as they say so in plain words. */
export function readGitWork(scripts: readonly string[]): {
  readonly repository: string | undefined;
  readonly base: string | undefined;
} {
  const text = scripts.join('\n');
  const [, address] =
    /\bgit\s+clone\b[^\n]*?\s["']?((?:https?|ssh):\/\/[^\s"'$]+|[\w.-]+@[\w.-]+:[^\s"'$]+)["']?(?=\s|$)/m.exec(
      text,
    ) ?? [];
  const [, base] =
    /\borigin\/([\w./-]+)|\s(?:--branch|-b)[ =]([\w./-]+)/.exec(text)?.filter((one) => one !== undefined) ??
    [];
  return { repository: address && withoutSecret(address), base: base === 'HEAD' ? undefined : base };
}

const gitWork =
  /\bgit\b(?:\s+-[cC]\s+\S+|\s+--?[\w-]+(?:=\S+)?)*\s+(?:add|branch|checkout|clone|commit|config|diff|fetch|merge|pull|push|rebase|remote|reset|stash|switch|worktree)\b/;

/** A line whose taking away changes no other one. */
function standsAlone(line: string): boolean {
  const words = line.trim();
  if (/^(if|then|elif|else|fi|for|while|until|do|done|case|esac|function)\b|^[{}()]|\(\)\s*\{|<</.test(words))
    return false;
  if (/(\\|&&|\|\||\||\{|\()$/.test(words)) return false;
  if (!gitWork.test(words)) return true;
  return words.split(/&&|\|\||;/).every((part) => /^\s*(git\b|true\s*$|:\s*$|cd\b)/.test(part));
}

function doesSomething(line: string): boolean {
  const words = line.trim();
  return words !== '' && !/^(#|set\s|[A-Za-z_]\w*=\S*$|cd\b)/.test(words);
}

function tellVariables(script: string): string | undefined {
  const names = [...new Set([...script.matchAll(/\$\{?((?:SORTIE|SYMPHONY)_\w+)/g)].map(([, name]) => name))];
  return names.length === 0
    ? undefined
    : `it uses variables that evenkeel does not set (${names.join(', ')})`;
}

/** A name or a token in an address is for whoever clones, and not for a file. */
function withoutSecret(address: string): string {
  if (!URL.canParse(address) || !/^https?:/.test(address)) return address;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}
