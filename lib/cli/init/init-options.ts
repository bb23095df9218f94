/** What the options of `init` say; undefined is left to be asked, false is `--no-…`. */
export interface InitOptions {
  readonly from?: string;
  readonly output: string;
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly kind?: 'local' | 'github' | 'github-project' | 'linear';
  readonly project?: string;
  readonly repo?: string;
  readonly endpoint?: string;
  readonly states?: readonly string[];
  readonly active?: readonly string[];
  readonly inProgress?: string | false;
  readonly handoff?: string | false;
  readonly terminal?: readonly string[] | false;
  readonly base?: string;
  readonly agent?: string;
  readonly json?: boolean;
}
