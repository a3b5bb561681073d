using System.Diagnostics;
using System.Globalization;
using QuickSilver.WideArea;

namespace QuickSilver.Tests.Programs;

/// <summary>
/// The commands of the program, each answered by a line:
/// <code>
/// start                started ID                                 the node starts
/// gateway              gateway active, or: gateway standby        the gateway starts
/// active               active                                     when the gateway is, and reaches all sites
/// join GROUP           joined GROUP
/// send COUNT RATE      sent COUNT                                 numbered messages; RATE: a second
/// received             received NEXT COPIES LOST GAP              the number that is next, what came twice, what did
///                                                                 not come, the longest time between two in ms
/// </code>
/// A command that throws is answered by "failed COMMAND text".
/// </summary>
internal sealed class SiteCommands(QuickSilverOptions options, SiteGatewayOptions? gatewayOptions, MemberLines lines)
    : IAsyncDisposable
{
    private readonly Lock _lock = new();
    private QuickSilverNode? _node;
    private SiteGateway? _gateway;
    private Group? _group;
    private long _next;
    private long _copies;
    private long _lost;
    private long _cameAt;
    private TimeSpan _gap;

    /// <summary>Runs a command.</summary>
    public async Task RunAsync(string[] words)
    {
        try
        {
            await Task.Yield();
            switch (words)
            {
                case ["start"]:
                    _node = await QuickSilverNode.StartAsync(options);
                    lines.Say($"started {_node.Id}");
                    break;
                case ["gateway"]:
                    _gateway = await SiteGateway.StartAsync(_node!, gatewayOptions!);
                    lines.Say($"gateway {(_gateway.GetStatistics().IsActive ? "active" : "standby")}");
                    break;
                case ["active"]:
                    await _gateway!.WaitForActiveAsync();
                    await _gateway.WaitForSitesAsync();
                    lines.Say("active");
                    break;
                case ["join", var name]:
                    var handling = new GroupOptions { SelfDelivery = false, OnMessage = OnMessage };
                    _group = await _node!.JoinAsync(name, handling);
                    lines.Say($"joined {name}");
                    break;
                case ["send", var count, var rate]:
                    await SendAsync(Number(count), Number(rate));
                    lines.Say($"sent {count}");
                    break;
                case ["received"]:
                    lock (_lock)
                        lines.Say($"received {_next} {_copies} {_lost} {(long)_gap.TotalMilliseconds}");
                    break;
                default:
                    throw new ArgumentException($"unknown command '{string.Join(' ', words)}'");
            }
        }
        catch (Exception failure)
        {
            lines.Say($"failed {words[0]} {failure}");
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_gateway is not null) await _gateway.DisposeAsync();
        if (_node is not null) await _node.DisposeAsync();
    }

    private async Task SendAsync(int count, int rate)
    {
        var payload = new byte[100];
        long start = Stopwatch.GetTimestamp();
        for (int number = 0; number < count; number++)
        {
            TimeSpan early = TimeSpan.FromSeconds((double)number / rate) - Stopwatch.GetElapsedTime(start);
            if (early > TimeSpan.FromMilliseconds(1)) await Task.Delay(early);
            BitConverter.TryWriteBytes(payload, (long)number);
            await _group!.SendAsync(payload.AsMemory());
        }
    }

    private void OnMessage(in MessageRef message)
    {
        long number = BitConverter.ToInt64(message.Payload);
        lock (_lock)
        {
            if (number < _next)
            {
                _copies++;
                return;
            }
            if (_cameAt != 0 && Stopwatch.GetElapsedTime(_cameAt) is var gap && gap > _gap) _gap = gap;
            _cameAt = Stopwatch.GetTimestamp();
            _lost += number - _next;
            _next = number + 1;
        }
    }

    private static int Number(string word) => int.Parse(word, CultureInfo.InvariantCulture);
}
