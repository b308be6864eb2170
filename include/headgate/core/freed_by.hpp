#pragma once
// Owners of objects of C libraries: std::unique_ptr<BIO, FreedBy<BIO_free>>.

namespace headgate {

template <auto kFree>
struct FreedBy {
  template <class T>
  void operator()(T* object) const noexcept {
    kFree(object);
  }
};

}  // namespace headgate
