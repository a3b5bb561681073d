// QuickStart: one publisher and three subscribers, a process each, 100 groups, 1,000,000 messages, all verified.
//
//   dotnet run -c Release --project samples/QuickStart
//   dotnet run -c Release --project samples/QuickStart -- --drop 0.05      shows repair; --help lists the options
//
// Each subscriber checks that every message arrives once, whole and in order, and says how long the later half took:
// before, the runtime compiles. This process hosts the membership, starts the others, and ends with 0 if they do.

using System.Buffers.Binary;
using System.CommandLine;
using System.Diagnostics;
using QuickSilver;
using QuickSilver.Testing;

var groups = new Option<int>("--groups") { Description = "How many groups.", DefaultValueFactory = _ => 100 };
var messages = new Option<int>("--messages") { Description = "How many.", DefaultValueFactory = _ => 1_000_000 };
var size = new Option<int>("--size") { Description = "Bytes of a message.", DefaultValueFactory = _ => 1000 };
var subscribers = new Option<int>("--subscribers") { Description = "How many.", DefaultValueFactory = _ => 3 };
var drop = new Option<double>("--drop") { Description = "Share of the datagrams that each subscriber drops." };
var timeout = new Option<int>("--timeout") { Description = "Most seconds.", DefaultValueFactory = _ => 120 };
var role = new Option<string?>("--role") { Hidden = true };
var port = new Option<int>("--port") { Hidden = true, DefaultValueFactory = _ => Random.Shared.Next(20_000, 32_000) };
var command = new RootCommand("Sends messages from one process to others, over many groups, and verifies them.")
{
    groups, messages, size, subscribers, drop, timeout, role, port,
};
command.SetAction(async (parsed, user) =>
{
    int P(Option<int> option) => parsed.GetValue(option);
    var plan = new Plan(P(groups), P(messages), P(size), P(subscribers), parsed.GetValue(drop), P(port));
    using var stop = CancellationTokenSource.CreateLinkedTokenSource(user);
    stop.CancelAfter(TimeSpan.FromSeconds(P(timeout)));
    string? name = parsed.GetValue(role), fault;
    try
    {
        fault = plan.FindMistake() ?? await (name switch
        {
            null => RunAllAsync(plan, stop.Token),
            "publisher" => PublishAsync(plan, name, stop.Token),
            _ => SubscribeAsync(plan, name, stop.Token),
        });
    }
    catch (Exception failure) when (failure is QuickSilverException || stop.IsCancellationRequested)
    {
        fault = !stop.IsCancellationRequested ? failure.Message
            : user.IsCancellationRequested ? "Interrupted." : "The time was up.";
    }
    if (fault is not null) await Console.Error.WriteLineAsync($"{name ?? "FAILED"}: {fault}");
    return fault is null ? 0 : 1;
});
return await command.Parse(args).InvokeAsync(new() { ProcessTerminationTimeout = TimeSpan.FromSeconds(10) });

async Task<string?> RunAllAsync(Plan plan, CancellationToken stop)
{
    await using QuickSilverNode host = await QuickSilverNode.StartAsync(plan.NodeOptions("host"), stop);
    IEnumerable<string> roles = Enumerable.Range(1, plan.Subscribers).Select(static number => $"subscriber-{number}");
    List<Process> processes = [.. roles.Append("publisher").Select(name => Process.Start(
        "dotnet", [typeof(Plan).Assembly.Location, .. args, "--port", $"{plan.Port}", "--role", name]))];
    await using CancellationTokenRegistration end = stop.Register(() => processes.ForEach(static one => one.Kill()));
    await Task.WhenAll(processes.Select(async process =>
    {
        await process.WaitForExitAsync(CancellationToken.None);
        if (process.ExitCode != 0) processes.ForEach(static other => other.Kill()); // the others would wait for it
    }));
    stop.ThrowIfCancellationRequested();
    if (processes.Exists(static process => process.ExitCode != 0)) return "not all processes ended well";
    Console.WriteLine($"Verified: {plan.Messages:N0} messages of {plan.Size:N0} bytes over {plan.Groups} groups "
        + $"reached each of {plan.Subscribers} subscribers once, whole and in order.");
    return null;
}

// Waits for the subscribers, sends all messages round-robin, and leaves when all members hold them.
static async Task<string?> PublishAsync(Plan plan, string name, CancellationToken stop)
{
    await using QuickSilverNode node = await QuickSilverNode.StartAsync(plan.NodeOptions(name), stop);
    var options = new GroupOptions { SelfDelivery = false };
    IReadOnlyList<Group> groups = await node.JoinManyAsync(plan.GroupNames, options, stop);
    foreach (Group group in groups) await group.WaitForMembersAsync(plan.Subscribers + 1, stop);
    byte[] message = new byte[plan.Size];
    (long start, int early) = (Stopwatch.GetTimestamp(), 0);
    for (int sent = 0; sent < plan.Messages; sent++)
    {
        if (Stopwatch.GetElapsedTime(start).TotalSeconds < 1) early = sent + 1;
        (int number, int group) = Math.DivRem(sent, plan.Groups);
        BinaryPrimitives.WriteInt64LittleEndian(message, Stopwatch.GetTimestamp());
        BinaryPrimitives.WriteInt64LittleEndian(message.AsSpan(8), number);
        BinaryPrimitives.WriteInt32LittleEndian(message.AsSpan(16), group);
        message.AsSpan(Plan.HeadBytes).Fill((byte)(number + group));
        await groups[group].SendAsync(message.AsMemory(), stop); // copied when the call returns
    }
    await node.FlushAsync(stop);
    double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
    Console.WriteLine($"{name}: sent {plan.Messages:N0} messages, {early:N0} of them in the first second, "
        + $"{plan.Messages / seconds:N0} a second on average; all members hold them");
    return null;
}

// Checks each message on the core thread, until all have arrived or one is wrong. Returns the first fault.
static async Task<string?> SubscribeAsync(Plan plan, string name, CancellationToken stop)
{
    var end = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
    string[] names = [.. plan.GroupNames];
    long[] next = new long[plan.Groups];
    double[] milliseconds = new double[plan.Messages];
    int received = 0;
    await using QuickSilverNode node = await QuickSilverNode.StartAsync(plan.NodeOptions(name), stop);
    await node.JoinManyAsync(plan.GroupNames, new GroupOptions { OnMessage = OnMessage }, stop);
    if (await end.Task.WaitAsync(stop) is { } found) return found;
    NodeStatistics statistics = await node.GetStatisticsAsync(stop);
    double[] later = [.. milliseconds[(received / 2)..].Order()];
    Console.WriteLine($"{name}: received {received:N0} messages; of the later half 50 % took less than "
        + $"{later[later.Length / 2]:N1} ms from send to handler, 99 % less than {later[later.Length * 99L / 100]:N1}; "
        + $"{statistics.PacketsMissed} packets lost, {statistics.RepairsFromPeers} repaired by peers, "
        + $"{statistics.RepairsFromSenders} by the sender");
    return null;

    void OnMessage(in MessageRef message)
    {
        string? fault = message.Payload.Length == plan.Size ? Check(message) : $"has {message.Payload.Length} bytes";
        if (fault is not null) end.TrySetResult($"message {message.Sequence} of {message.GroupName} {fault}");
        else if (++received == plan.Messages) end.TrySetResult(null);
    }

    string? Check(in MessageRef message)
    {
        long sent = BinaryPrimitives.ReadInt64LittleEndian(message.Payload);
        long number = BinaryPrimitives.ReadInt64LittleEndian(message.Payload[8..]);
        int group = BinaryPrimitives.ReadInt32LittleEndian(message.Payload[16..]);
        if ((uint)group >= names.Length || message.GroupName != names[group]) return $"belongs to topic-{group}";
        if (number != next[group]++) return $"is number {number} where {next[group] - 1} is next";
        if (message.Payload[Plan.HeadBytes..].ContainsAnyExcept((byte)(number + group))) return "is damaged";
        if (received == plan.Messages) return "is one too many";
        milliseconds[received] = Stopwatch.GetElapsedTime(sent).TotalMilliseconds;
        return null;
    }
}

/// <summary>The run, as the command line says it: the same in all processes.</summary>
internal sealed record Plan(int Groups, int Messages, int Size, int Subscribers, double Drop, int Port)
{
    /// <summary>A message begins with its time, its number in the group, and the group; one byte fills it.</summary>
    public const int HeadBytes = 20;

    public IEnumerable<string> GroupNames => Enumerable.Range(0, Groups).Select(static group => $"topic-{group}");

    public string? FindMistake() =>
        Math.Min(Groups, Messages) < 1 || Subscribers < 1 ? "Nothing is to be done."
        : Size < HeadBytes ? $"--size is less than {HeadBytes}."
        : Drop is >= 0 and < 1 ? null : "--drop is not in [0, 1).";

    public QuickSilverOptions NodeOptions(string name)
    {
        var options = new QuickSilverOptions { ClusterName = $"quickstart-{Port}", NodeName = name };
        options.Membership.Port = Port;
        options.Pending.MaxMessagesPerRegion = 5_000; // so few that the times are not those of a long queue
        bool drops = Drop > 0 && name.StartsWith("subscriber", StringComparison.Ordinal);
        if (drops) options.UseFaults(Drop, seed: (ulong)name[^1]);
        return options;
    }
}
