import type { TellsOfJobs } from '#operator-calls/told-of-jobs.js';
import { Deliveries } from './postgres-deliveries.js';

export const toldOfJobs: TellsOfJobs = {
  async ofJob(database, environment, tenant, jobId) {
    const deliveries = await new Deliveries(database).ofJob(environment, tenant, jobId);
    return deliveries.map(({ deliveryId, endpointId, type, status, attempts, occurredAt }) => ({
      delivery_id: deliveryId,
      endpoint_id: endpointId,
      type,
      status,
      attempts,
      occurred_at: occurredAt,
    }));
  },

  async jobOf(database, environment, deliveryId) {
    const delivery = await new Deliveries(database).find(environment, deliveryId);
    // The body is a message of ours. If the message is about a job, it names the job.
    return delivery && (JSON.parse(delivery.body) as { data: { job_id?: string } }).data.job_id;
  },
};
