using System.IO.Pipelines;
using System.Reflection;
using System.Text.Json;
using System.Text.Json.Serialization;
using QuickSilver.Testing;
using QuickSilver.Tests.Monitoring;

namespace QuickSilver.Tests.Api;

/// <summary>Programs write what the API hands them to structured logs: every type of data can be serialized as it
/// is.</summary>
[Collection(NodeCollection.Name)]
public sealed class JsonTests
{
    private static readonly MemberId Id = MemberId.TryParse("10.0.0.5:15001/7", out MemberId id) ? id : default;

    // Objects that do something; what refers to them is data, and names a handle by its group. Keys and certificates
    // are nobody's to write. Failures are logged as exceptions.
    private static readonly Type[] Doers =
    [
        typeof(Subscription), typeof(QuickSilverNode), typeof(Inbox), typeof(FeedRegistration), typeof(MessageSender),
        typeof(Group), typeof(GroupPublisher), typeof(PreSharedKey), typeof(CertificateOptions), typeof(ClusterMonitor),
    ];

    [Fact]
    public async Task Every_type_of_data_is_serialized()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("greetings");
        DeliveryReport report = await group.SendConfirmedAsync("hello");
        await group.SendAsync("again");
        MessageLease? lease = null;
        Message? message = null;
        await foreach (MessageLease one in group.ReadLeasedAsync())
        {
            lease = one;
            message = one.ToMessage();
            break;
        }
        Dictionary<Type, object> samples = await SamplesAsync(node, group, message!, lease!.Value, report);
        Type[] data = [.. typeof(QuickSilverNode).Assembly.GetExportedTypes().Where(IsData)];
        Assert.Equal([], data.Except(samples.Keys).Where(static type => !type.IsEnum).Select(static type => type.Name));
        foreach ((Type type, object sample) in samples)
        {
            using JsonDocument document = JsonDocument.Parse(JsonSerializer.Serialize(sample, type));
            Assert.True(document.RootElement.ToString().Length > 2, $"{type.Name} is serialized as nothing");
        }
        Assert.All(data.Where(static type => type.IsEnum), static type =>
        {
            object value = Enum.GetValues(type).GetValue(0)!;
            Assert.Equal($"\"{value}\"", JsonSerializer.Serialize(value, type));
        });
        lease.Value.Dispose();
    }

    [Fact]
    public void A_member_is_written_as_its_texts_and_read_back()
    {
        var member = new Member(Id, "left");
        string text = JsonSerializer.Serialize(member);
        Assert.Equal("""{"Id":"10.0.0.5:15001/7","Name":"left","Identity":""}""", text);
        Assert.Equal(member, JsonSerializer.Deserialize<Member>(text));
        var lags = new Dictionary<MemberId, int> { [Id] = 3 };
        Assert.Equal("""{"10.0.0.5:15001/7":3}""", JsonSerializer.Serialize(lags));
        Assert.Equal(lags, JsonSerializer.Deserialize<Dictionary<MemberId, int>>(JsonSerializer.Serialize(lags)));
        foreach (string wrong in new[] {
            "", "10.0.0.5:15001", "10.0.0.5/7", "[::1:15001/7", "10.0.0.5:15001/-7", "10.0.0.5:15001/7x",
            "010.0.0.5:1/7" })
            Assert.Throws<JsonException>(() => JsonSerializer.Deserialize<MemberId>(JsonSerializer.Serialize(wrong)));
    }

    // A handler of node.Events has a NodeEvent in its hand: what the serializer is told of the type must not hide what
    // happened.
    [Theory]
    [InlineData(typeof(NodeEvent))]
    [InlineData(typeof(GroupEvent))]
    public void An_event_is_serialized_whole_by_whoever_knows_its_base_only(Type known)
    {
        string[] kinds = [
            .. typeof(QuickSilverNode).Assembly.GetExportedTypes().Where(type => type.BaseType == known)
            .Select(static type => type.Name)];
        IEnumerable<JsonDerivedTypeAttribute> told = known.GetCustomAttributes<JsonDerivedTypeAttribute>();
        Assert.NotEmpty(kinds);
        Assert.Equal(kinds.Order(), told.Select(static one => one.DerivedType.Name).Order());
        string text = JsonSerializer.Serialize<NodeEvent>(
            new NodeStateChanged(NodeState.Running, NodeState.MembershipLost, "away"));
        Assert.Contains(
            "\"Before\":\"Running\",\"After\":\"MembershipLost\",\"Reason\":\"away\"", text, StringComparison.Ordinal);
    }

    // As in a section of a configuration.
    [Fact]
    public void A_mode_is_written_with_its_kind_and_read_back()
    {
        ModeOptions[] modes =
        [
            new ReliableMode { Hybrid = true }, new LateralMode { InOrder = true }, new TimedMode { LatestOnly = true },
            new OrderedMode { Level = OrderedLevel.Safe },
        ];
        foreach (ModeOptions mode in modes)
        {
            string text = JsonSerializer.Serialize(mode);
            Assert.StartsWith($$"""{"Kind":"{{mode.Kind}}",""", text, StringComparison.Ordinal);
            Assert.Equal(mode, JsonSerializer.Deserialize<ModeOptions>(text));
        }
    }

    [Fact]
    public void An_event_with_a_failure_is_serialized_with_its_code_and_text()
    {
        NodeEvent ended = new GroupEnded(
            "news", new SlowConsumerException(ErrorCode.SlowConsumer, "too slow", new InvalidOperationException("why")))
        {
            Time = DateTimeOffset.UnixEpoch,
        };
        Assert.Equal(
            """{"$type":"GroupEnded","GroupName":"news","Code":"SlowConsumer","ReasonText":"too slow","""
            + "\"Time\":\"1970-01-01T00:00:00+00:00\"}",
            JsonSerializer.Serialize(ended));
    }

    private static bool IsData(Type type) =>
        !typeof(Delegate).IsAssignableFrom(type) && !typeof(JsonConverter).IsAssignableFrom(type) && !type.IsInterface
            && !type.IsByRefLike
        && !type.IsGenericType && !(type.IsAbstract && type.IsSealed) && !type.IsNested && !Doers.Contains(type)
        && !typeof(Exception).IsAssignableFrom(type);

    private static async Task<Dictionary<Type, object>> SamplesAsync(
        QuickSilverNode node, Group group, Message message, MessageLease lease, DeliveryReport report)
    {
        var evicted = new NodeEvictedException(ErrorCode.Evicted, "silent") { MessagesInDoubt = 3 };
        var state = new NodeStateChanged(NodeState.Running, NodeState.Stopping, "disposed of");
        var lag = new MemberLag(
            new Member(Id, "left"), LagReason.Silent, 3, DateTimeOffset.UnixEpoch, TimeSpan.Zero, true, ["greetings"],
            [1]);
        var options = new QuickSilverOptions();
        NodeSnapshot snapshot = SnapshotSamples.Full(1);
        var told = new NodeReport { Snapshot = snapshot };
        return new object[]
        {
            Id, new Member(Id, "left"), group.View, group.View.Regions[0], message,
            new LongMessage(PipeReader.Create(Stream.Null), Id, "left", 3, "greetings"), lease, report,
            new LateralStatistics(), new TimedStatistics(), new OrderedStatistics(),
            node.GetStatistics(), (await node.GetTopGroupsAsync(1))[0], lag,
            snapshot, snapshot.Regions[0], snapshot.Views[0], snapshot.Inboxes[0], new NodeRates(), told,
            new ClusterSnapshot { Nodes = [told] },
            new CarrierSelected(Carrier.Unicast, "no multicast"), new GroupEnded("greetings", evicted), state,
            new LossReported("greetings", Id, 3, LossReason.Overflow), new NodeRejoined(Id, Id),
            new MemberShed(new Member(Id, "left")),
            new MembershipCandidate("a", "10.0.0.5:14999", "left", 1), new MembershipLeader("10.0.0.5:14999", 1),
            new SendsHeldUp([new Member(Id, "left")], "no server"),
            new SendsResumed(TimeSpan.FromSeconds(3), 2),
            new CoreStalled(LoopPhase.Feed, TimeSpan.Zero, null),
            new MessagesLost(group, Id, 1, 2, LossReason.Unread), new GroupCompleted(group, evicted),
            new MessageReceived(group, message),
            new ViewChanged(group, null, group.View),
            options, options.Transport, options.Membership, options.RateControl, options.Recovery, options.Delivery,
            options.Pending, options.Ordering, options.Loop,
            options.Shutdown, options.Membership.Discovery, options.Membership.Peers, new GroupOptions(),
            new InboxOptions(), new PublisherOptions(),
            new ReliableMode(), new LateralMode(), new TimedMode(), new OrderedMode(), new SendOptions { Key = 7 },
            new SecurityOptions { Authorize = static _ => true },
            new AuthorizationRequest("a.example", "a", System.Net.IPAddress.Loopback, "greetings", Publishes: true),
        }
            .ToDictionary(static sample => sample.GetType())
            .Append(new(typeof(NodeEvent), state))
            .Append(new(typeof(ModeOptions), new TimedMode()))
            .Append(new(typeof(GroupEvent), new MessageReceived(group, message)))
            .ToDictionary();
    }
}
