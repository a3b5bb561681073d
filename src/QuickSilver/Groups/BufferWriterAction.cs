using System.Buffers;

namespace QuickSilver;

/// <summary>Writes one message. Called on the sender's thread, before the send returns.</summary>
/// <typeparam name="TState">Type of what it is given to work with; may be a ref struct.</typeparam>
/// <param name="writer">Takes the bytes; valid during the call.</param>
/// <param name="state">What it is given to work with.</param>
public delegate void BufferWriterAction<TState>(IBufferWriter<byte> writer, in TState state)
    where TState : allows ref struct;
