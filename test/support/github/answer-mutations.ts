import { typedError } from './answer-page.ts';
import type { Views } from './answer-queries.ts';
import type { Comment, Issue, Label } from './github-state.ts';

type Input<Fields> = { readonly input: Fields };

/** The roots of mutations, made by whoever holds the token. `after` is told of each when it is done. */
export function answerMutations(views: Views, after: (field: string) => void): Record<string, unknown> {
  const { state } = views;
  const done = <Result>(field: string, result: Result): Result => {
    after(field);
    return result;
  };
  const issueOf = (id: string): Issue => {
    const found = state.allIssues().find((issue) => issue.id === id);
    if (found === undefined) throw notFound(id);
    if (found.repository.isArchived)
      throw typedError('FORBIDDEN', 'Repository was archived so is read-only.');
    return found;
  };
  const labelOf = (issue: Issue, id: string): Label => {
    const found = issue.repository.labels.find((label) => label.id === id);
    if (found === undefined) throw notFound(id);
    return found;
  };
  const commentOf = (id: string): Comment => {
    const found = state
      .allIssues()
      .flatMap(({ comments }) => comments)
      .find((comment) => comment.id === id);
    if (found === undefined) throw notFound(id);
    return found;
  };
  return {
    addLabelsToLabelable: ({ input }: Input<{ labelableId: string; labelIds: string[] }>) => {
      const issue = issueOf(input.labelableId);
      for (const label of input.labelIds.map((id) => labelOf(issue, id)))
        state.addLabel(issue, label, views.viewer());
      return done('addLabelsToLabelable', { labelable: views.issue({ ...issue }) });
    },
    removeLabelsFromLabelable: ({ input }: Input<{ labelableId: string; labelIds: string[] }>) => {
      const issue = issueOf(input.labelableId);
      for (const label of input.labelIds.map((id) => labelOf(issue, id)))
        state.removeLabel(issue, label, views.viewer());
      return done('removeLabelsFromLabelable', { labelable: views.issue({ ...issue }) });
    },
    addComment: ({ input }: Input<{ subjectId: string; body: string }>) => {
      checkBody(input.body);
      const issue = issueOf(input.subjectId);
      if (issue.locked) throw typedError('FORBIDDEN', 'Unable to create comment because issue is locked.');
      const comment = state.addComment(issue, views.viewer(), input.body);
      return done('addComment', { commentEdge: { node: views.comment(comment) } });
    },
    updateIssueComment: ({ input }: Input<{ id: string; body: string }>) => {
      checkBody(input.body);
      const comment = commentOf(input.id);
      if (comment.author.login !== views.viewer().login)
        throw typedError('FORBIDDEN', 'This account does not have the correct permissions.');
      comment.body = input.body;
      comment.issue.updatedAt = state.now();
      return done('updateIssueComment', { issueComment: views.comment(comment) });
    },
    deleteIssueComment: ({ input }: Input<{ id: string }>) => {
      const comment = commentOf(input.id);
      if (comment.author.login !== views.viewer().login)
        throw typedError('FORBIDDEN', 'This account does not have the correct permissions.');
      const { comments } = comment.issue;
      comments.splice(comments.indexOf(comment), 1);
      return done('deleteIssueComment', {});
    },
  };
}

const longestBody = 65_536;

function checkBody(body: string): void {
  if (body.length > longestBody)
    throw typedError('UNPROCESSABLE', `Body is too long (maximum is ${longestBody} characters)`);
}

function notFound(id: string) {
  return typedError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'.`);
}
