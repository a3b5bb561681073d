using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace QuickSilver.Tests.Programs;

/// <summary>
/// The commands of the program. Each is answered by one line, in the order in which they end:
/// <code>
/// start                          started ID                        the node starts
/// join GROUP                     joined GROUP MEMBERS              once; what it receives is counted
/// stay GROUP                     joined GROUP MEMBERS, each time   joins again whenever the handle has ended
/// leave GROUP                    left GROUP
/// send GROUP COUNT BYTES RATE    sent GROUP COUNT MILLISECONDS     RATE: messages a second, 0: as fast as it goes
/// confirm GROUP                  confirmed GROUP MEMBERS MICROSECONDS
/// received GROUP                 received GROUP COUNT P50 P99 MAX  microseconds from send to receipt, of what came
/// since the last time members GROUP                  members GROUP NAME NAME ...
/// lost                           lost COUNT                        MessagesLost of its node
/// oldest GROUP                   oldest GROUP P50 P99 P999 MAX     as received, of all that came
/// statistics                     statistics JSON                   NodeStatistics
/// slowest                        slowest MEMBERLAG; MEMBERLAG ...  GetSlowestMembersAsync: those that hold a region up
/// id                             id ID STATE
/// servers ADDRESS:PORT ...       servers changed                   ChangeMembershipServers
/// starts COUNT                   starts GOOD FAILED                starts and ends so many other nodes; each failure
/// is a line of its own stop                           stopped                           disposes of the node
/// </code>
/// A command that throws is answered by "failed COMMAND TYPE CODE text".
/// </summary>
internal sealed class MemberCommands(Func<QuickSilverOptions> makeOptions, MemberLines lines) : IAsyncDisposable
{
    private readonly Dictionary<string, MemberGroup> _groups = [];
    private readonly CancellationTokenSource _stop = new();
    private QuickSilverNode? _node;

    private QuickSilverNode Node => _node ?? throw new InvalidOperationException("the node has not been started");

    /// <summary>Runs a command; long ones go on behind the next.</summary>
    /// <returns>False when the program is to end.</returns>
    public async Task<bool> TryRunAsync(string[] words)
    {
        if (words.Length == 0) return true;
        Task run = FencedAsync(words);
        if (words[0] is "start" or "stop") await run;
        return words[0] != "stop";
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        if (_node is not null) await _node.DisposeAsync();
        _stop.Dispose();
    }

    private async Task FencedAsync(string[] words)
    {
        try
        {
            await Task.Yield();
            await RunAsync(words);
        }
        catch (Exception failure)
        {
            string code = failure is QuickSilverException known ? known.Code.ToString() : "-";
            lines.Say($"failed {words[0]} {failure.GetType().Name} {code} {failure.Message}");
        }
    }

    private async Task RunAsync(string[] words)
    {
        switch (words[0])
        {
            case "start":
                _node = await QuickSilverNode.StartAsync(makeOptions());
                _node.Events += (_, happened) => lines.Say(happened);
                lines.Say($"started {_node.Id}");
                break;
            case "join":
                await Group(words[1]).JoinAsync(Node, _stop.Token);
                break;
            case "stay":
                await Group(words[1]).StayAsync(Node, _stop.Token);
                break;
            case "leave":
                await Group(words[1]).LeaveAsync();
                lines.Say($"left {words[1]}");
                break;
            case "send":
                await SendAsync(Group(words[1]), Number(words[2]), Number(words[3]), Number(words[4]));
                break;
            case "confirm":
                long start = Stopwatch.GetTimestamp();
                DeliveryReport report = await Group(
                    words[1]).Handle.SendConfirmedAsync(new byte[MemberGroup.HeadBytes], _stop.Token);
                lines.Say(
                    $"confirmed {words[1]} {report.Confirmed} "
                        + $"{(long)Stopwatch.GetElapsedTime(start).TotalMicroseconds}");
                break;
            case "received":
                lines.Say($"received {words[1]} {Group(words[1]).TakeFigures()}");
                break;
            case "members":
                lines.Say(
                    $"members {words[1]} "
                    + string.Join(' ', Group(words[1]).Handle.View.Members.Select(static member => member.Name)));
                break;
            case "lost":
                lines.Say($"lost {Node.GetStatistics().MessagesLost}");
                break;
            case "oldest":
                lines.Say($"oldest {words[1]} {Group(words[1]).DescribeAll()}");
                break;
            case "statistics":
                lines.Say($"statistics {JsonSerializer.Serialize(Node.GetStatistics())}");
                break;
            case "slowest":
                lines.Say(
                    "slowest "
                    + string.Join("; ", (await Node.GetSlowestMembersAsync(9)).Where(static lag => lag.HoldsUp)));
                break;
            case "id":
                lines.Say($"id {Node.Id} {Node.State}");
                break;
            case "servers":
                Node.ChangeMembershipServers(words[1..]);
                lines.Say("servers changed");
                break;
            case "starts":
                await StartOthersAsync(Number(words[1]));
                break;
            case "stop":
                if (_node is not null) await _node.DisposeAsync();
                lines.Say("stopped");
                break;
            default:
                throw new ArgumentException($"unknown command '{words[0]}'");
        }
    }

    private async Task SendAsync(MemberGroup group, int count, int bytes, int rate)
    {
        byte[] payload = new byte[Math.Max(bytes, MemberGroup.HeadBytes)];
        long start = Stopwatch.GetTimestamp();
        for (int index = 0; index < count; index++)
        {
            if (rate > 0)
            {
                TimeSpan early = TimeSpan.FromSeconds((double)index / rate) - Stopwatch.GetElapsedTime(start);
                if (early > TimeSpan.FromMilliseconds(1)) await Task.Delay(early, _stop.Token);
            }
            BinaryPrimitives.WriteInt64LittleEndian(payload, Stopwatch.GetTimestamp());
            try
            {
                await group.Handle.SendAsync(payload, _stop.Token);
            }
            catch (SendHeldUpException)
            {
                lines.Say($"accepted {group.Name} {index}");
                throw;
            }
        }
        lines.Say($"sent {group.Name} {count} {(long)Stopwatch.GetElapsedTime(start).TotalMilliseconds}");
    }

    private async Task StartOthersAsync(int count)
    {
        int good = 0;
        for (int index = 0; index < count && !_stop.IsCancellationRequested; index++)
        {
            try
            {
                QuickSilverOptions options = makeOptions();
                options.NodeName = $"{options.NodeName}-{index}";
                await using QuickSilverNode node = await QuickSilverNode.StartAsync(options, _stop.Token);
                good++;
            }
            catch (Exception failure)
            {
                string code = failure is QuickSilverException known ? known.Code.ToString() : "-";
                lines.Say($"failed starts {failure.GetType().Name} {code} {failure}");
            }
        }
        lines.Say($"starts {good} {count - good}");
    }

    private MemberGroup Group(string name)
    {
        lock (_groups)
        {
            if (!_groups.TryGetValue(name, out MemberGroup? group))
                _groups.Add(name, group = new MemberGroup(name, lines));
            return group;
        }
    }

    private static int Number(string word) => int.Parse(word, CultureInfo.InvariantCulture);
}
