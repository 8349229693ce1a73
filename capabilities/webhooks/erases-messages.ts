import type { ErasesWords } from '#read-store/erases-words.js';

/** A message that was not sent yet is not sent any more: the sender finds no delivery. */
export const erasesMessages: ErasesWords = {
  place: 'messages of webhooks',
  async erase(database, { environment, tenant, jobIds }) {
    const { rows } = await database.query(
      // With their attempts.
      `delete from ${environment}.webhook_deliveries
         where tenant = $1 and body::json #>> '{data,job_id}' = any($2) returning 1`,
      [tenant, jobIds],
    );
    return rows.length;
  },
};
