using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Loop;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport;

/// <summary>The core thread asleep in epoll: what wakes it, and who pays.</summary>
public sealed class LinuxWakeTests : ICoreObserver, ICompletionHandler, IPullRoots, IDisposable
{
    private readonly TransportRig _rig = new();
    private readonly SemaphoreSlim _handled = new(0);
    private Exception? _fault;

    public bool HasWork => false;

    public void Dispose()
    {
        _rig.Dispose();
        _handled.Dispose();
    }

    [Fact]
    public async Task Datagrams_wake_the_core_by_themselves_and_requests_by_the_eventfd()
    {
        IHostTransport sender = _rig.Start("linux");
        IHostTransport receiver = _rig.Start("linux");
        var gate = new WakeGate(receiver);
        (CoreThread core, RequestQueue requests) = Start(receiver, gate, new CoreThreadOptions());
        for (ulong index = 1; index <= 100; index++)
        {
            sender.Send(TransportRig.Train(TrainRoute.Unicast, 1, 100, index, to: receiver.Facts.Data));
            Assert.True(await _handled.WaitAsync(NodeRig.Patience), $"datagram {index} was not handled");
        }
        Assert.Equal(0, gate.Wakes);

        for (int index = 1; index <= 100; index++)
        {
            requests.Enqueue(new RecordingTarget((_, _) => _handled.Release()));
            Assert.True(await _handled.WaitAsync(NodeRig.Patience), $"request {index} was not run");
        }
        Assert.InRange(gate.Wakes, 1, 100);
        await StopAsync(core);
    }

    [Fact]
    public async Task A_core_bound_to_a_processor_runs_there_alone()
    {
        IHostTransport transport = _rig.Start("linux");
        var gate = new WakeGate(transport);
        (CoreThread core, RequestQueue requests) = Start(transport, gate, new CoreThreadOptions { Affinity = 0 });
        var allowed = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        requests.Enqueue(new RecordingTarget((_, _) => allowed.SetResult(
            File.ReadLines("/proc/thread-self/status")
                .First(static line => line.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal)))));
        Assert.Equal("0", (await allowed.Task.WaitAsync(NodeRig.Patience)).Split(':')[1].Trim());
        await StopAsync(core);
    }

    void ICompletionHandler.Handle(ref Completion completion, Instant now)
    {
        if (!completion.IsDrained) _handled.Release();
    }

    int IPullRoots.PullAll(Instant now) => 0;

    void ICoreObserver.OnTurnEnded(Instant now, bool wasBusy)
    {
        // Nothing is published by turn here.
    }

    void ICoreObserver.OnStopping(Instant now)
    {
        // The rig closes the sockets.
    }

    void ICoreObserver.OnFault(Exception fault, Instant now) => _fault = fault;

    private (CoreThread Core, RequestQueue Requests) Start(
        IHostTransport transport, WakeGate gate, CoreThreadOptions options)
    {
        var clock = new MonotonicClock();
        var requests = new RequestQueue(gate);
        var loop = new LoopTurn(new LoopParts(clock, requests, transport, this, new AlarmQueue(), this));
        var core = new CoreThread(loop, requests, transport, gate, clock, options, this);
        core.Start();
        return (core, requests);
    }

    private async Task StopAsync(CoreThread core)
    {
        core.RequestStop();
        await core.Ended.WaitAsync(NodeRig.Patience);
        Assert.Null(_fault);
    }
}
