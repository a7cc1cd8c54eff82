import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { budgets, groupOf } from './groups.ts';

/**
 * Runs the groups in the order of the budgets, so that short suites fill the workers at the end of a run. By itself, Vitest
 * begins with the largest files on a machine that has not run them before: some of the smallest start browsers.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isShared = ({ project }: TestSpecification) => Number(!project.config.isolate);
    return sorted.sort((one, other) => isShared(one) - isShared(other) || rankOf(one) - rankOf(other));
  }
}

const order = Object.keys(budgets);
const rankOf = ({ project, moduleId }: TestSpecification): number =>
  order.indexOf(groupOf(relative(project.config.root, moduleId)));
