#pragma once
// `headgate reset LIMIT --all`.

#include "admin_client.hpp"

#include <string>

namespace headgate::cli {

/// Asks for one part after the other until all keys are done, and prints how many there were. Returns the exit code:
/// kFailed if a server of Redis could not be asked.
int reset_all(const AdminOptions& options, const std::string& limit);

}  // namespace headgate::cli
