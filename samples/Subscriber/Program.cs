// Subscriber: listens to a group until Ctrl+C.
//
//   dotnet run -c Release --project samples/Subscriber                                   one machine
//   dotnet run -c Release --project samples/Subscriber -- --host --key-file KEY          several: serves all
//   dotnet run -c Release --project samples/Subscriber -- --server ADDRESS --key-file KEY     finds it; KEY is a copy
//
// Once a second it says how many messages have arrived and from which node, what was lost and repaired, and who came or
// went. Messages that no member holds are named as lost. Start as many as you like, in any order.

using System.Collections.Concurrent;
using System.CommandLine;
using Microsoft.Extensions.Logging;
using QuickSilver;

var host = new Option<bool>("--host") { Description = "Host the membership, for all machines." };
var server = new Option<string?>("--server") { Description = "The membership's host: ADDRESS, [IPV6], or with :PORT." };
var network = new Option<string?>("--interface") { Description = "An interface, by name, address or 10.77.0.0/24." };
var keyFile = new Option<string?>("--key-file") { Description = "The cluster's key, by openssl rand -base64 32." };
var insecure = new Option<bool>("--insecure") { Description = "No key: everyone may read and forge messages." };
var port = new Option<int>("--port") { Description = "Port of the membership.", DefaultValueFactory = _ => 14999 };
var groupName = new Option<string>("--group") { Description = "The group.", DefaultValueFactory = _ => "greetings" };
var count = new Option<long>("--count") { Description = "End after them.", DefaultValueFactory = _ => long.MaxValue };
RootCommand command = new("Listens.") { host, server, keyFile, insecure, network, port, groupName, count };
command.SetAction(async (parsed, stop) =>
{
    try { await SubscribeAsync(parsed, stop); }
    catch (OperationCanceledException) when (stop.IsCancellationRequested) { } // Ctrl+C: left in order
    catch (Exception failure) when (failure is QuickSilverException or ArgumentException)
    {
        await Console.Error.WriteLineAsync(failure.Message);
        return 1;
    }
    return 0;
});
return await command.Parse(args).InvokeAsync(new() { ProcessTerminationTimeout = TimeSpan.FromSeconds(10) });

QuickSilverOptions Options(ParseResult parsed, ILoggerFactory log)
{
    QuickSilverOptions options = new QuickSilverOptions().UseLoggerFactory(log);
    options.Transport.Interface = parsed.GetValue(network);
    options.Membership.Port = parsed.GetValue(port);
    options.Security.KeyFile = parsed.GetValue(keyFile);
    if (parsed.GetValue(insecure)) options.Security.UseNone();
    if (parsed.GetValue(host)) options.Membership.Mode = MembershipMode.Host;
    if (parsed.GetValue(server) is { } place)
    {
        if (parsed.GetValue(host)) throw new ArgumentException("Give --host or --server, not both.");
        (options.Membership.Mode, options.Membership.JoinTimeout) = (MembershipMode.Client, TimeSpan.FromSeconds(5));
        bool hasPort = place.LastIndexOf(':') > place.LastIndexOf(']');
        options.Membership.Servers.Add(hasPort ? place : $"{place}:{options.Membership.Port}");
    }
    return options;
}

// It may be there first: it tries again until somebody serves.
async Task<QuickSilverNode> StartAsync(QuickSilverOptions options, CancellationToken stop)
{
    while (true)
    {
        try { return await QuickSilverNode.StartAsync(options, stop); }
        catch (MembershipUnavailableException nobody) when (nobody.Code == ErrorCode.MembershipUnreachable)
        {
            Console.WriteLine($"{nobody.Message} Trying again.");
        }
    }
}

async Task SubscribeAsync(ParseResult parsed, CancellationToken stop)
{
    using ILoggerFactory log = LoggerFactory.Create(static to => to.AddSimpleConsole(line => line.SingleLine = true));
    await using QuickSilverNode node = await StartAsync(Options(parsed, log), stop);
    node.Events += static (_, happened) =>
    {
        if (happened is LossReported loss) Console.WriteLine($"LOST: {loss.Count} of {loss.Sender}: {loss.Reason}");
    };
    var senders = new ConcurrentDictionary<MemberId, Sender>();
    var options = new GroupOptions
    {
        BufferBeforeFirstRead = false,
        OnMessage = (in message) => // on the core thread: be short, never wait
        {
            Sender sender = senders.GetOrAdd(message.Sender, static (_, name) => new(name), message.SenderName);
            Interlocked.Increment(ref sender.Messages);
        },
    };
    await using Group group = await node.JoinAsync(parsed.GetValue(groupName)!, options, stop);
    Console.WriteLine($"{node.Name} is in {group.Name}.");
    using var second = new PeriodicTimer(TimeSpan.FromSeconds(1));
    GroupView told = group.View;
    for (bool all = false; !all;)
    {
        await second.WaitForNextTickAsync(stop);
        if (group.Completion.IsCompleted) await group.Completion; // throws the reason
        // Asked before they are told, so that the last line tells of all.
        all = senders.Values.Sum(static sender => Interlocked.Read(ref sender.Messages)) >= parsed.GetValue(count);
        (GroupView before, told) = (told, group.View);
        foreach (Member member in told.Members.Except(before.Members)) Console.WriteLine($"{member.Name} has come");
        foreach (Member member in before.Members.Except(told.Members)) Console.WriteLine($"{member.Name} has gone");
        NodeStatistics statistics = node.GetStatistics();
        IEnumerable<string> rates = senders.Values.Select(static sender => sender.TellNew()).OfType<string>();
        if (string.Join(", ", rates) is { Length: > 0 } text)
        {
            long repaired = statistics.RepairsFromPeers + statistics.RepairsFromSenders;
            Console.WriteLine($"{text}; {statistics.PacketsMissed:N0} packets lost so far, {repaired:N0} repaired");
        }
    }
}

internal sealed class Sender(string name)
{
    public long Messages;
    private long _told;

    public string? TellNew()
    {
        long all = Interlocked.Read(ref Messages), fresh = all - _told;
        _told = all;
        return fresh == 0 ? null : $"{fresh:N0} messages a second from {name} ({all:N0} in all)";
    }
}
