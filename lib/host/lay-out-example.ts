/**
 * Lays out the example in `dataDir/example`: a board of Markdown issues, a git repository and a workflow file. What is
 * there already is kept as it is. Answers the path of the workflow file, and whether it was made now.
 */
export async function layOutExample(
  _dataDir: string,
): Promise<{ readonly workflowFile: string; readonly created: boolean }> {
  throw new Error('not built yet');
}
