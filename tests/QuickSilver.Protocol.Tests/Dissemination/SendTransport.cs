using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>A transport that only opens channels: trains are taken from the sink.</summary>
internal sealed class SendTransport : ITransport
{
    public int OpenChannels { get; private set; }

    public TransportFacts Facts { get; set; } = new(default, default, 1372, 64, 8 << 20, true, ChecksumPayloads: true);

    /// <summary>What streams that are made from now on lend from.</summary>
    public ISharedMemory? SharedMemory { get; set; }

    public IRegionChannel? Open(NetEndpoint group, bool receive)
    {
        OpenChannels++;
        return new Channel(group);
    }

    public void Close(IRegionChannel channel, bool receive) => OpenChannels--;

    public SendOutcome Send(in Train train) => SendOutcome.Sent;

    public sealed record Channel(NetEndpoint Group) : IRegionChannel
    {
        public ulong Drops => 0;
    }
}
