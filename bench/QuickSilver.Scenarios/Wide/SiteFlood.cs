using System.Diagnostics;
using QuickSilver.WideArea;

namespace QuickSilver.Scenarios.Wide;

/// <summary>A member that sends as fast as other sites take it, or at a fixed rate, and counts what comes.</summary>
internal sealed class SiteFlood : IAsyncDisposable
{
    /// <summary>Name of the group of floods.</summary>
    public const string GroupName = "flood";

    /// <summary>Name of the group of loads.</summary>
    public const string LoadName = "load";

    private const int LoadBytes = 1000;
    private const int BitsOfByte = 8;

    private Group _flood = null!;
    private Group _load = null!;
    private SitePressure _pressure = null!;
    private CancellationTokenSource _stop = new();
    private Task _sending = Task.CompletedTask;
    private long _received;

    /// <summary>Messages of floods that have come.</summary>
    public long Received => Interlocked.Read(ref _received);

    /// <summary>Joins.</summary>
    public static async Task<SiteFlood> JoinAsync(QuickSilverNode node)
    {
        var flood = new SiteFlood();
        flood._flood = await node.JoinAsync(
            GroupName,
            new GroupOptions { SelfDelivery = false, OnMessage = flood.OnMessage, BufferBeforeFirstRead = false });
        flood._load = await node.JoinAsync(
            LoadName,
            new GroupOptions { SelfDelivery = false, OnMessage = static (in _) => { }, BufferBeforeFirstRead = false });
        flood._pressure = await SitePressure.OpenAsync(node);
        return flood;
    }

    /// <summary>Sends from now on.</summary>
    public string Begin(int bytes)
    {
        _sending = SendAsync(bytes, _stop.Token);
        return "flooding";
    }

    /// <summary>Sends a load from now on.</summary>
    public string Load(int bits)
    {
        if (bits > 0) _sending = LoadAsync(bits, _stop.Token);
        return "loading";
    }

    /// <summary>Sends no more.</summary>
    public async Task<string> EndAsync()
    {
        await _stop.CancelAsync();
        await _sending;
        _stop.Dispose();
        _stop = new CancellationTokenSource();
        return "stopped";
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await EndAsync();
        _stop.Dispose();
        await _flood.DisposeAsync();
        await _load.DisposeAsync();
        await _pressure.DisposeAsync();
    }

    private async Task SendAsync(int bytes, CancellationToken stop)
    {
        var message = new byte[bytes];
        await Task.Yield();
        try
        {
            while (true)
            {
                await _pressure.WaitAsync(GroupName, stop);
                await _flood.SendAsync(message.AsMemory(), stop);
            }
        }
        catch (OperationCanceledException)
        {
            // It was told to end.
        }
    }

    private async Task LoadAsync(int bits, CancellationToken stop)
    {
        var message = new byte[LoadBytes];
        long start = Stopwatch.GetTimestamp();
        double period = LoadBytes * BitsOfByte / (double)bits;
        try
        {
            for (long number = 1; ; number++)
            {
                await _load.SendAsync(message.AsMemory(), stop);
                TimeSpan early = TimeSpan.FromSeconds(number * period) - Stopwatch.GetElapsedTime(start);
                if (early > TimeSpan.FromMilliseconds(1)) await Task.Delay(early, stop);
            }
        }
        catch (OperationCanceledException)
        {
            // It was told to end.
        }
    }

    private void OnMessage(in MessageRef message) => Interlocked.Increment(ref _received);
}
