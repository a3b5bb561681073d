using System.Diagnostics;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport;

/// <summary>A process that is out of descriptors for a moment. Not beside other tests, which need some.</summary>
[Collection(NodeCollection.Name)]
public sealed class NoDescriptorsTests : IDisposable
{
    private readonly TransportRig _rig = new();

    public static TheoryData<string> Kinds => ["linux", "portable"];

    public void Dispose() => _rig.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_channel_that_could_not_be_sent_by_once_is_tried_again(string kind)
    {
        Assert.SkipUnless(
            OperatingSystem.IsLinux(), "needs Linux: the test takes the process's descriptors away by setrlimit");
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        receiver.Open(_rig.Group, receive: true);
        Train train = TransportRig.Train(TrainRoute.Region, 3, 100, channel: sender.Open(_rig.Group, receive: false));
        NetEndpoint wrong = new(0x0A000001, 5000);
        Assert.Equal(
            SendOutcome.Failed,
            sender.Send(TransportRig.Train(TrainRoute.Region, 1, 100, channel: sender.Open(wrong, receive: false))));
        using (new NoDescriptors())
        {
            Assert.Equal(SendOutcome.Failed, sender.Send(train));
            Assert.Equal(SendOutcome.Failed, sender.Send(train));
        }
        long start = Stopwatch.GetTimestamp();
        while (sender.Send(train) != SendOutcome.Sent)
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < NodeRig.Patience, "it never sends again");
            Thread.Sleep(10);
        }
        Assert.Equal([1L, 2L, 3L], TransportRig.Sequences(TransportRig.ReceiveDatagrams(receiver, 3)));
        Assert.Equal([wrong, _rig.Group], _rig.Events.OpenFailed);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_transport_that_gets_no_sockets_is_refused_as_one_that_cannot_start(string kind)
    {
        Assert.SkipUnless(
            OperatingSystem.IsLinux(), "needs Linux: the test takes the process's descriptors away by setrlimit");
        TransportSettings settings = TransportRig.For(
            kind, TransportRig.Settings with { Carrier = CarrierPreference.Unicast });
        _rig.Start(kind, settings);
        Assert.Throws<TransportException>(
            () => TransportFactory.Start(settings with { Interface = "nowhere0" }, _rig.Events));
        Exception? refusal;
        using (new NoDescriptors()) refusal = Record.Exception(() => TransportFactory.Start(settings, _rig.Events));
        Assert.Equal(TransportFailure.InterfaceUnavailable, Assert.IsType<TransportException>(refusal).Failure);
    }
}
