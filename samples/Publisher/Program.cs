// Publisher: sends messages to a group, at a rate or as fast as it can, until Ctrl+C.
//
//   dotnet run -c Release --project samples/Publisher                                   one machine
//   dotnet run -c Release --project samples/Publisher -- --host --key-file KEY          several: serves all
//   dotnet run -c Release --project samples/Publisher -- --server ADDRESS --key-file KEY     finds it; KEY is a copy
//
// It waits for a subscriber (samples/Subscriber), then says once a second how much it has sent and to how many.
// It only sends, so it is no member of the group. Either program may be the host. Ctrl+C ends it in order: all that was
// sent arrives.

using System.Buffers.Binary;
using System.CommandLine;
using System.Diagnostics;
using Microsoft.Extensions.Logging;
using QuickSilver;

var host = new Option<bool>("--host") { Description = "Host the membership, for all machines." };
var server = new Option<string?>("--server") { Description = "The membership's host: ADDRESS, [IPV6], or with :PORT." };
var network = new Option<string?>("--interface") { Description = "An interface, by name, address or 10.77.0.0/24." };
var keyFile = new Option<string?>("--key-file") { Description = "The cluster's key, by openssl rand -base64 32." };
var insecure = new Option<bool>("--insecure") { Description = "No key: everyone may read and forge messages." };
var port = new Option<int>("--port") { Description = "Port of the membership.", DefaultValueFactory = _ => 14999 };
var groupName = new Option<string>("--group") { Description = "The group.", DefaultValueFactory = _ => "greetings" };
var size = new Option<int>("--size") { Description = "Bytes of a message.", DefaultValueFactory = _ => 1000 };
var rate = new Option<double>("--rate") { Description = "Messages a second; 0: all.", DefaultValueFactory = _ => 1000 };
var count = new Option<long>("--count") { Description = "End after them.", DefaultValueFactory = _ => long.MaxValue };
var command = new RootCommand("Sends messages to a group until Ctrl+C.")
{
    host, server, keyFile, insecure, network, port, groupName, size, rate, count,
};
command.SetAction(async (parsed, stop) =>
{
    try
    {
        await PublishAsync(parsed, stop);
        return 0;
    }
    catch (OperationCanceledException) when (stop.IsCancellationRequested)
    {
        return 0; // Ctrl+C before it could send
    }
    catch (Exception failure) when (failure is QuickSilverException or ArgumentException)
    {
        await Console.Error.WriteLineAsync(failure.Message);
        return 1;
    }
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
        options.Membership.Mode = MembershipMode.Client;
        bool hasPort = place.LastIndexOf(':') > place.LastIndexOf(']');
        options.Membership.Servers.Add(hasPort ? place : $"{place}:{options.Membership.Port}");
    }
    return options;
}

async Task PublishAsync(ParseResult parsed, CancellationToken stop)
{
    if (parsed.GetValue(size) < sizeof(long)) throw new ArgumentException($"--size is less than {sizeof(long)}.");
    if (!(parsed.GetValue(rate) >= 0)) throw new ArgumentException("--rate is less than 0.");
    if (parsed.GetValue(count) < 1) throw new ArgumentException("--count is less than 1.");
    using ILoggerFactory log = LoggerFactory.Create(
        static builder => builder.AddSimpleConsole(static line => line.SingleLine = true));
    await using QuickSilverNode node = await QuickSilverNode.StartAsync(Options(parsed, log), stop);
    GroupPublisher publisher = await node.OpenPublisherAsync(parsed.GetValue(groupName)!, cancellationToken: stop);
    await using (publisher)
    {
        Console.WriteLine($"{node.Name} publishes to {publisher.Name} and waits for a subscriber.");
        await publisher.WaitForMembersAsync(1, stop);
        long sent = await SendAsync(publisher, parsed, stop);
        Console.WriteLine($"{sent:N0} messages sent; leaving as soon as all members hold them.");
    }
}

async Task<long> SendAsync(GroupPublisher publisher, ParseResult parsed, CancellationToken stop)
{
    byte[] message = new byte[parsed.GetValue(size)];
    double perSecond = parsed.GetValue(rate);
    long number = 0, told = 0, start = Stopwatch.GetTimestamp(), second = start;
    try
    {
        for (; number < parsed.GetValue(count); number++)
        {
            if (perSecond > 0)
            {
                TimeSpan early = TimeSpan.FromSeconds(number / perSecond) - Stopwatch.GetElapsedTime(start);
                if (early > TimeSpan.FromMilliseconds(1)) await Task.Delay(early, stop);
            }
            BinaryPrimitives.WriteInt64LittleEndian(message, number);
            await publisher.SendAsync(message.AsMemory(), stop); // waits when too much is under way, and drops nothing
            if (Stopwatch.GetElapsedTime(second) < TimeSpan.FromSeconds(1)) continue;
            Console.WriteLine($"{number + 1 - told:N0} messages a second to {publisher.View.MemberCount} members");
            (told, second) = (number + 1, Stopwatch.GetTimestamp());
        }
    }
    catch (OperationCanceledException) when (stop.IsCancellationRequested)
    {
        // Ctrl+C: the publisher is closed in order by the dispose.
    }
    return number;
}
