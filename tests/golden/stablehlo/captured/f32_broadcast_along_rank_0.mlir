module @topos {
  func.func @main(%arg0: tensor<f32>) -> (tensor<4xf32>) {
    %v1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    return %v1 : tensor<4xf32>
  }
}
