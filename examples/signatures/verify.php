<?php

declare(strict_types=1);

/**
 * Throws unless the gateway signed this body within the last five minutes: Standard Webhooks, with nothing but PHP.
 *
 * @param array<string, string> $headers with names in lower case: array_change_key_case(getallheaders())
 * @param string $body as it arrived, file_get_contents('php://input'): parsed JSON cannot be verified
 * @param string $secret whsec_ and what follows it
 */
function verify(array $headers, string $body, string $secret): void
{
    $names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    [$id, $sentAt, $signatures] = array_map(fn (string $name) => $headers[$name] ?? '', $names);
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$body", $key, true));
    $isSigned = false;
    // There are several after the secret was replaced. hash_equals takes the same time wherever they differ.
    foreach (explode(' ', $signatures) as $one) {
        $isSigned = hash_equals($expected, $one) || $isSigned;
    }
    $isRecent = ctype_digit($sentAt) && abs(time() - (int) $sentAt) <= 300;
    if (!$isSigned || !$isRecent) {
        throw new RuntimeException('The webhook request is not from the gateway, or too old');
    }
}
