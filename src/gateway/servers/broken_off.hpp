#pragma once
// What is said of a server whose answer breaks off after its head.

#include "headgate/core/result.hpp"
#include "headgate/upstream/failure.hpp"

namespace headgate::gateway {

/// `cause`: what reading its body failed with.
upstream::Failure broken_off(const error_code& cause) noexcept;

}  // namespace headgate::gateway
