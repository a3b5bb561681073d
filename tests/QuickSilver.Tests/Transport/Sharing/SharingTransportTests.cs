using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport.Sharing;

/// <summary>Which transports have memory to share.</summary>
public sealed class SharingTransportTests : IDisposable
{
    private readonly TransportRig _rig = new();

    public void Dispose() => _rig.Dispose();

    [Theory]
    [InlineData("linux")]
    [InlineData("portable")]
    public void Transports_over_loopback_read_each_others_memory(string kind)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "memory that processes share is for Linux");
        IHostTransport sender = _rig.Start(kind, TransportRig.Settings with { SharedMemory = true });
        using var receiver = new FaultInjector(
            _rig.Start(kind, TransportRig.Settings with { SharedMemory = true }), 0, 1);
        ISharedMemory? owner = sender.SharedMemory;
        ITransport seen = receiver;
        Assert.True(owner is not null && seen.SharedMemory is not null);
        Assert.True(seen.SharedMemory.TryAttach(owner.Segment, 7));
        Assert.Equal(1UL, receiver.Counters.SegmentsAttached);
        Assert.True(owner.IsReadBy(7));
        receiver.Dispose();
        Assert.False(owner.IsReadBy(7));
    }

    [Theory]
    [InlineData("linux", false, false)]
    [InlineData("linux", true, true)]
    [InlineData("in-process", true, false)]
    public void Others_have_none(string kind, bool wanted, bool byUnicast)
    {
        CarrierPreference carrier = byUnicast ? CarrierPreference.Unicast : CarrierPreference.Auto;
        Assert.Null(
            _rig.Start(kind, TransportRig.Settings with { SharedMemory = wanted, Carrier = carrier }).SharedMemory);
    }
}
