#pragma once
// The gRPC statuses, which an answer carries in addition to its HTTP status.

#include "headgate/core/per_enum.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace headgate::observe {

/// The status codes of gRPC (doc/statuscodes.md in its repository).
enum class GrpcStatus : std::uint8_t {
  ok,
  cancelled,
  unknown,
  invalid_argument,
  deadline_exceeded,
  not_found,
  already_exists,
  permission_denied,
  resource_exhausted,
  failed_precondition,
  aborted,
  out_of_range,
  unimplemented,
  internal,
  unavailable,
  data_loss,
  unauthenticated,
  other,  ///< a number that gRPC does not define
  none    ///< the request is not a gRPC call, or its answer has no status
};

/// Names of the statuses by number; the last is for `other`.
inline constexpr PerEnum<GrpcStatus, std::string_view, static_cast<std::size_t>(GrpcStatus::other) + 1>
    kGrpcStatusNames({"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
                      "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
                      "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
                      "_OTHER"});

/// Returns the name of the status in logs, metrics and the configuration; empty for `none`.
constexpr std::string_view to_text(GrpcStatus status) noexcept {
  return status == GrpcStatus::none ? std::string_view() : kGrpcStatusNames[status];
}

}  // namespace headgate::observe
