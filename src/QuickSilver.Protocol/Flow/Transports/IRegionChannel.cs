namespace QuickSilver.Protocol.Flow.Transports;

/// <summary>
/// One multicast address as this node uses it: to receive, to send, or both. Opened and closed through
/// <see cref="ITransport"/>; also the <see cref="QuickSilver.Protocol.Core.Completion.Channel"/> of reads that came
/// from it. Core thread only.
/// </summary>
internal interface IRegionChannel
{
    /// <summary>
    /// Datagrams the kernel dropped because this channel's receive buffer was full, since it was opened; 0 where it
    /// does not report them.
    /// </summary>
    ulong Drops { get; }
}
