# frozen_string_literal: true

require 'openssl'

TOLERANCE_SECONDS = 300

# Raises ArgumentError unless the gateway signed this body within the last five minutes: Standard Webhooks, with nothing
# but the standard library.
#
# headers: a Hash with names in lower case, or the headers of a request of Rails
# body: the bytes as they arrived, request.body.read: parsed JSON cannot be verified
# secret: whsec_ and what follows it
def verify(headers, body, secret)
  id, sent_at, signatures = %w[webhook-id webhook-timestamp webhook-signature].map { |name| headers[name].to_s }
  key = secret.delete_prefix('whsec_').unpack1('m')
  mac = OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{sent_at}.".b + body.b)
  expected = "v1,#{[mac].pack('m0')}"
  # There are several after the secret was replaced. secure_compare takes the same time wherever they differ.
  is_signed = signatures.split.any? { |one| OpenSSL.secure_compare(one, expected) }
  is_recent = sent_at.match?(/\A\d+\z/) && (Time.now.to_i - sent_at.to_i).abs <= TOLERANCE_SECONDS
  raise ArgumentError, 'The webhook request is not from the gateway, or too old' unless is_signed && is_recent
end
