/**
 * Whether a text can name a task of this cluster. Asking for anything else would fail the whole call, and with it what is
 * asked about the other tasks in it.
 */
export function isTaskOf(cluster: string, arn: string): boolean {
  const tasks = cluster.replace(/:cluster\//, ':task/');
  return arn.startsWith(`${tasks}/`) && /^[A-Za-z0-9-]{1,64}$/.test(arn.slice(tasks.length + 1));
}
