import { describeRunner } from '../../contracts/describe-runner.ts';
import { fargateWorld } from '../../support/ecs/fargate-world.ts';

describeRunner('Fargate tasks', () => fargateWorld());
