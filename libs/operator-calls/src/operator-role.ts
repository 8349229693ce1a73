/** What an operator may do beside reading. `admin` may do everything. */
export type OperatorRole = 'read' | 'support' | 'finance' | 'admin';

export const operatorRoles: readonly OperatorRole[] = ['read', 'support', 'finance', 'admin'];
