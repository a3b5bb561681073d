using System.Buffers;

namespace QuickSilver;

/// <summary>Writes the bytes of one message. Called on the sender's thread, before the send returns.</summary>
/// <typeparam name="TState">Type of the state; may be a ref struct.</typeparam>
/// <param name="writer">Receives the bytes; valid during the call only.</param>
/// <param name="state">The state that the sender passed to the send.</param>
public delegate void BufferWriterAction<TState>(IBufferWriter<byte> writer, in TState state)
    where TState : allows ref struct;
