namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>Where a <see cref="Chunk"/> came from, and goes when nobody holds it any more. Core thread only.</summary>
internal interface IChunkHome
{
    /// <summary>The chunk's last reference has been released.</summary>
    void Return(Chunk chunk);
}
