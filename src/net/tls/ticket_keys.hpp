#pragma once
// The keys that seal session tickets: a new one each hour, made from one secret, so that gateways with the same secret
// open each other's tickets without talking.

#include "headgate/core/result.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>

struct ossl_lib_ctx_st;

namespace headgate::net {

/// The key of one hour.
struct TicketKey {
  std::int64_t hour = -1;                     ///< since 1970; -1: not made yet
  std::array<unsigned char, 16> name{};       ///< goes in clear before each ticket
  std::array<unsigned char, 32> cipher{};     ///< AES-256-CBC
  std::array<unsigned char, 32> signature{};  ///< HMAC-SHA-256
};

/// How long a ticket is valid. Its hour's key is accepted for one hour more, so every ticket is valid so long.
inline constexpr long kTicketSeconds = 3600;

/// One thread.
class TicketKeys {
 public:
  TicketKeys(ossl_lib_ctx_st* library, std::string secret) : library_(library), secret_(std::move(secret)) {}
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;
  ~TicketKeys();

  /// The key to seal with at `second` since 1970; null if it cannot be made.
  const TicketKey* to_seal(std::int64_t second);
  /// The key of a ticket that came at `second`; null if it is not of this hour, the one before or the next one, which
  /// a gateway with a faster clock may use already.
  const TicketKey* to_open(std::span<const unsigned char, 16> name, std::int64_t second);

 private:
  const TicketKey* of(std::int64_t hour);

  ossl_lib_ctx_st* library_;
  std::string secret_;
  std::array<TicketKey, 4> keys_;  // by the hour modulo 4: three are in use, the fourth keeps them apart
};

}  // namespace headgate::net
