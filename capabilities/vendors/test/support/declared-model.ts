import type { VendorModel } from '@atelier/vendors';

/** A model in the form for its engine, with a double in the vendor's place. */
export function declaredModel(
  family: string,
  endpoint: string,
  more: Partial<VendorModel> = {},
): VendorModel {
  return {
    id: family,
    family,
    model: family,
    endpoint,
    secret: 'sk-vendor-secret',
    options: {},
    supports_quality: false,
    transparent: true,
    seed: true,
    max_inputs: 16,
    currency: 'USD',
    price_per_picture: 0.04,
    price_per_reading: 0.01,
    timeout_seconds: 60,
    resend_unknown: false,
    ...more,
  };
}
