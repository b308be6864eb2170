#pragma once
// The keys that encrypt session tickets. There is a new key each hour, which is derived from one secret. So gateways
// with the same secret can decrypt each other's tickets without communication.

#include "headgate/core/result.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>

struct ossl_lib_ctx_st;

namespace headgate::net {

/// The key of one hour.
struct TicketKey {
  std::int64_t hour = -1;                     ///< hours since 1970; -1 if not derived yet
  std::array<unsigned char, 16> name{};       ///< sent unencrypted before each ticket
  std::array<unsigned char, 32> cipher{};     ///< AES-256-CBC
  std::array<unsigned char, 32> signature{};  ///< HMAC-SHA-256
};

/// Validity of a ticket in seconds. The key of an hour is accepted for one more hour, so every ticket can be decrypted
/// for this time.
inline constexpr long kTicketSeconds = 3600;

/// The keys of the recent hours. One thread.
class TicketKeys {
 public:
  TicketKeys(ossl_lib_ctx_st* library, std::string secret) : library_(library), secret_(std::move(secret)) {}
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;
  ~TicketKeys();

  /// Returns the key to encrypt with at `second` since 1970; null if it cannot be derived.
  const TicketKey* to_seal(std::int64_t second);
  /// Returns the key of a ticket that arrived at `second`; null if the key is not of this hour or a neighbouring one. A
  /// gateway with a faster clock may already use the key of the next hour.
  const TicketKey* to_open(std::span<const unsigned char, 16> name, std::int64_t second);

 private:
  const TicketKey* of(std::int64_t hour);

  ossl_lib_ctx_st* library_;
  std::string secret_;
  std::array<TicketKey, 4> keys_;  // by hour modulo 4; three are in use at a time
};

}  // namespace headgate::net
