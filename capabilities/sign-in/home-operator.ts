import { installation } from '#application/command-context.js';
import type { HomeOperator } from '#operator-calls/sign-in.js';
import { readOperatorToken, writeOperatorToken } from '#platform/home-files.js';
import { AddOperator, authenticateOperator, RevokeOperator } from './manage-operators.handler.js';
import { SignInModule } from './sign-in.module.js';

/** The operator whose name the command beside `npm start` uses. */
const name = 'home';

/** Its token is in the home; readers of the home have access to the database anyway. */
export const homeOperator: HomeOperator = {
  features: [{ module: SignInModule }],
  async provide(operator, home) {
    const context = operator.context('live', installation);
    if (await authenticateOperator(operator.store, readOperatorToken(home) ?? '', context.at)) return;
    // The earlier token is lost, or belongs to another log.
    await operator.execute(new RevokeOperator(context, name, 'its token is not in the home'));
    const terms = { name, role: 'admin', expiresAt: inTenYears(context.at) } as const;
    const added = await operator.execute(new AddOperator(operator.context('live', installation), terms));
    if (added.kind === 'added' && added.token) writeOperatorToken(home, added.token);
  },
};

function inTenYears(now: Date): Date {
  return new Date(now.getTime() + 3_650 * 86_400_000);
}
