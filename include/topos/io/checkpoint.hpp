// Named tensors and strings, and the files that keep them.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "topos/io/stored_tensor.hpp"

namespace topos {

/// Tensors by name, in the order they were added, and metadata strings. A value: copies share the elements.
class Checkpoint {
 public:
  /// A tensor and its name.
  struct Entry {
    std::string name;
    StoredTensor tensor;
  };

  /// Throws UsageError for a name that is there already.
  void add(std::string name, StoredTensor tensor);

  const std::vector<Entry>& entries() const& { return entries_; }
  std::vector<Entry> entries() const&& { return entries_; }  // for the range of a loop over a temporary
  /// Whether a tensor has this name.
  bool has(const std::string& name) const { return index_.contains(name); }
  /// Throws UsageError for a name that is not there, as tensor() does.
  const StoredTensor& of(const std::string& name) const&;
  StoredTensor of(const std::string& name) const&& { return of(name); }
  /// The tensor as floats: see StoredTensor::as.
  template <class E>
  Tensor<E> tensor(const std::string& name, Narrowing narrowing = Narrowing::refuse) const {
    return of(name).template as<E>(narrowing, "tensor '" + name + "'");
  }

  std::map<std::string, std::string> metadata;  ///< of the whole file; an npz has no place for it

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// Writes a safetensors file. A kill or a crash at any moment leaves the old file or the new one (see
/// FileReplacement). The same checkpoint makes the same bytes. Throws UsageError for a name or metadata that
/// JSON cannot hold, EnvironmentError for the file.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Reads a safetensors file. Nothing in it is trusted: every size, offset and name is checked before memory
/// is taken or an element read. Throws EnvironmentError naming the file, the tensor and the rule.
Checkpoint load_checkpoint(const std::string& path);

}  // namespace topos
