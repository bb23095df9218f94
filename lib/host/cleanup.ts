export interface Cleanup {
  add(step: () => Promise<unknown> | unknown): void;
  /** Takes the steps in reverse order, each once; one that fails does not keep the others. */
  run(): Promise<void>;
}

/** What has to be undone at the end, gathered while it is done. */
export function cleanup(): Cleanup {
  const steps: (() => Promise<unknown> | unknown)[] = [];
  return {
    add: (step) => void steps.push(step),
    run: async () => {
      for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
        try {
          await step();
        } catch {
          // The process ends, and with it whatever could not be closed.
        }
      }
    },
  };
}
