using System.Buffers;
using System.IO.Pipelines;
using System.Reflection;

namespace QuickSilver.Tests.Api;

/// <summary>What is wrong with the state of a handle or node comes in the task of a call. A caller that collects tasks
/// is then not surprised. Arguments that make no sense are told at once.</summary>
[Collection(NodeCollection.Name)]
public sealed class FaultedCallTests
{
    private static readonly byte[] Bytes = [1];

    private static readonly (string Name, Func<MessageSender, Task> Call)[] OfSenders =
    [
        ("SendAsync", static one => one.SendAsync(Bytes.AsMemory()).AsTask()),
        ("SendAsync", static one => one.SendAsync((ReadOnlySpan<byte>)Bytes).AsTask()),
        ("SendAsync", static one => one.SendAsync(Bytes.AsMemory(), new SendOptions { Key = 7 }).AsTask()),
        ("SendAsync", static one => one.SendAsync(
            1, 0, static (writer, _) => writer.Write(Bytes)).AsTask()),
        ("SendConfirmedAsync", static one => one.SendConfirmedAsync(Bytes)),
        ("FlushAsync", static one => one.FlushAsync()),
        ("WaitForMembersAsync", static one => one.WaitForMembersAsync(1)),
    ];

    private static readonly (string Name, Func<Group, Task> Call)[] OfGroups =
        [.. OfSenders, ("LeaveAsync", static one => one.LeaveAsync())];

    private static readonly (string Name, Func<GroupPublisher, Task> Call)[] OfPublishers =
        [.. OfSenders, ("CloseAsync", static one => one.CloseAsync())];

    private static readonly (string Name, Func<QuickSilverNode, Task> Call)[] OfNodes =
    [
        ("JoinAsync", static node => node.JoinAsync("late")),
        ("JoinManyAsync", static node => node.JoinManyAsync(["late"])),
        ("MonitorClusterAsync", static node => node.MonitorClusterAsync()),
        ("OpenPublisherAsync", static node => node.OpenPublisherAsync("late")),
        ("OpenPublishersAsync", static node => node.OpenPublishersAsync(["late"])),
        ("FlushAsync", static node => node.FlushAsync()),
        ("ForgetMemberAsync", static node => node.ForgetMemberAsync("nobody")),
    ];

    // They tell of an end by what they return, or promise not to throw.
    private static readonly string[] NeverFault =
    [
        "WaitToSendAsync", "DisposeAsync", "LeaveManyAsync", "GetStatisticsAsync", "GetTopGroupsAsync",
        "GetSlowestMembersAsync",
    ];

    // It takes handles, and is tried by a test of its own.
    private const string WithHandles = nameof(QuickSilverNode.SendToGroupsAsync);

    [Fact]
    public void The_tables_have_every_call()
    {
        AssertComplete(typeof(Group), OfGroups.Select(static one => one.Name));
        AssertComplete(typeof(GroupPublisher), OfPublishers.Select(static one => one.Name));
        AssertComplete(typeof(QuickSilverNode), OfNodes.Select(static one => one.Name));
        AssertComplete(typeof(Inbox), []);
        AssertComplete(typeof(Subscription), []);
    }

    [Fact]
    public async Task Calls_on_what_was_left_closed_or_disposed_of_fault_their_task()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("group");
        GroupPublisher publisher = await node.OpenPublisherAsync("group");
        PipeWriter writer = group.OpenWriter();
        writer.Write(Bytes);
        await group.LeaveAsync();
        await publisher.CloseAsync();
        foreach ((string name, Func<Group, Task> call) in OfGroups)
            await AssertFaultsAsync<ObjectDisposedException>(name, () => call(group));
        foreach ((string name, Func<GroupPublisher, Task> call) in OfPublishers)
            await AssertFaultsAsync<ObjectDisposedException>(name, () => call(publisher));
        await AssertFaultsAsync<ObjectDisposedException>("PipeWriter.FlushAsync", () => writer.FlushAsync().AsTask());
        Assert.False(await group.WaitToSendAsync());
        await node.DisposeAsync();
        foreach ((string name, Func<QuickSilverNode, Task> call) in OfNodes)
            await AssertFaultsAsync<ObjectDisposedException>(name, () => call(node));
        await node.LeaveManyAsync([group, publisher]);
        Assert.Equal(0, (await node.GetStatisticsAsync()).Groups);
        Assert.Empty(await node.GetTopGroupsAsync(1));
        Assert.Empty(await node.GetSlowestMembersAsync(1));
    }

    [Fact]
    public async Task A_send_to_groups_that_were_left_faults_its_task()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("ordered", new GroupOptions { Mode = new OrderedMode() });
        await group.LeaveAsync();
        await AssertFaultsAsync<ObjectDisposedException>(
            WithHandles, () => node.SendToGroupsAsync([group], Bytes.AsMemory()).AsTask());
    }

    [Fact]
    public async Task Calls_on_what_an_eviction_has_ended_fault_their_task()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("group");
        GroupPublisher publisher = await node.OpenPublisherAsync("group");
        Trouble.Expel(node);
        foreach (MessageSender one in (MessageSender[])[group, publisher])
            await Assert.ThrowsAsync<NodeEvictedException>(() => one.Completion.WaitAsync(NodeRig.Patience));
        foreach ((string name, Func<Group, Task> call) in OfGroups)
            await AssertFaultsAsync<NodeEvictedException>(name, () => call(group));
        foreach ((string name, Func<GroupPublisher, Task> call) in OfPublishers)
            await AssertFaultsAsync<NodeEvictedException>(name, () => call(publisher));
        Assert.False(await publisher.WaitToSendAsync());
    }

    [Fact]
    public async Task A_send_that_the_groups_mode_refuses_faults_its_task()
    {
        await using var rig = new NodeRig();
        Group group = await (await rig.StartAsync()).JoinAsync("reliable");
        ValueTask sending = group.SendAsync(Bytes.AsMemory(), new SendOptions { Key = 7 });
        QuickSilverException refused = await Assert.ThrowsAsync<QuickSilverException>(() => sending.AsTask());
        Assert.Equal(ErrorCode.RefusedByMode, refused.Code);
    }

    [Fact]
    public async Task Arguments_that_make_no_sense_are_told_at_once()
    {
        await using var rig = new NodeRig();
        Group group = await (await rig.StartAsync()).JoinAsync("group");
        Assert.Throws<PayloadTooLargeException>(() => Begin(group.SendAsync(new byte[64 << 20])));
        Assert.Throws<ArgumentOutOfRangeException>(() => Begin(group.SendAsync(-1, 0, static (_, _) => { })));
        var options = new SendOptions { TimeToLive = -TimeSpan.FromSeconds(1) };
        Assert.Throws<ArgumentException>(() => Begin(group.SendAsync(Bytes.AsMemory(), options)));

        static void Begin(ValueTask sending) => _ = sending.AsTask();
    }

    private static async Task AssertFaultsAsync<TException>(string name, Func<Task> call)
        where TException : Exception
    {
        Task? task = null;
        Exception? thrown = Record.Exception(() => { task = call(); });
        Assert.True(thrown is null, $"{name} throws {thrown?.GetType().Name} before it returns a task");
        Exception? fault = await Record.ExceptionAsync(() => task!.WaitAsync(NodeRig.Patience));
        Assert.True(fault is TException, $"the task of {name} has {fault?.GetType().Name ?? "no fault"}");
    }

    private static void AssertComplete(Type type, IEnumerable<string> told)
    {
        IEnumerable<string> names = type.GetMethods(BindingFlags.Public | BindingFlags.Instance)
            .Where(static method => typeof(Task).IsAssignableFrom(method.ReturnType)
                || method.ReturnType == typeof(ValueTask)
                || (method.ReturnType.IsGenericType
                    && method.ReturnType.GetGenericTypeDefinition() == typeof(ValueTask<>)))
            .Where(static method => !method.IsSpecialName)
            .Select(static method => method.Name).Except([.. NeverFault, WithHandles]).Order();
        Assert.Equal(names.Distinct(), told.Distinct().Order());
    }
}
