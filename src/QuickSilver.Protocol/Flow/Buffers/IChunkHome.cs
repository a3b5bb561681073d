namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>
/// The owner of a <see cref="Chunk"/>, to which it returns when nobody holds it any longer. Core thread only.
/// </summary>
internal interface IChunkHome
{
    /// <summary>Takes the chunk back: its last reference has been released.</summary>
    void Return(Chunk chunk);
}
