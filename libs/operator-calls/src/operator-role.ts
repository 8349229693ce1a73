/** The role of an operator, who may always read. `admin` may do everything. */
export type OperatorRole = 'read' | 'support' | 'finance' | 'admin';

export const operatorRoles: readonly OperatorRole[] = ['read', 'support', 'finance', 'admin'];
