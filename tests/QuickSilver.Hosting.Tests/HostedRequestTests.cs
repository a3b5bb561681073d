using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using QuickSilver.Testing;
using QuickSilver.Tests.Api;
using QuickSilver.Typed;

namespace QuickSilver.Hosting.Tests;

/// <summary>Request groups of hosts.</summary>
public sealed class HostedRequestTests
{
    [Fact]
    public async Task A_host_asks_and_another_answers()
    {
        await using var rig = new HostRig();
        await rig.StartAsync(services => services.AddQuickSilver(rig.Here)
            .AddRequestGroup("stock", StockContext.Default.Question, StockContext.Default.Answer)
            .AddResponder<StockResponder>("stock"));
        IHost asking = await rig.StartAsync(services => services.AddQuickSilver(rig.Here)
            .AddRequestGroup("stock", StockContext.Default.Question, StockContext.Default.Answer));
        var group = asking.Services.GetRequiredKeyedService<IQuickSilverRequestGroup<Question, Answer>>("stock");
        Assert.Equal("stock", group.Name);
        ReplySet<Answer> answers = await group.RequestAsync(new Question("nails")).WaitAsync(NodeRig.Patience);
        Assert.Equal(5, Assert.Single(answers.Replies).Value.Count);
        await asking.StopAsync().WaitAsync(NodeRig.Patience);
        Assert.Null(group.Current);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => group.RequestAsync(new Question("screws")));
    }

    [Fact]
    public async Task After_an_eviction_requests_go_on()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(configure: Quick);
        await using var rig = new HostRig();
        IHost answering = await rig.StartAsync(
            services => services.AddQuickSilver(options => Configure(cluster, "answers", options))
                .AddRequestGroup("stock", StockContext.Default.Question, StockContext.Default.Answer)
                .AddResponder<StockResponder>("stock"));
        Group other = answering.Services
            .GetRequiredKeyedService<IQuickSilverRequestGroup<Question, Answer>>("stock").Current!.Raw;
        IHost asking = await rig.StartAsync(
            services => services.AddQuickSilver(options => Configure(cluster, "asks", options))
                .AddRequestGroup("stock", StockContext.Default.Question, StockContext.Default.Answer));
        var group = asking.Services.GetRequiredKeyedService<IQuickSilverRequestGroup<Question, Answer>>("stock");
        RequestGroup<Question, Answer> first = group.Current!;
        await cluster.CutAsync("asks");
        await NodeRig.UntilAsync(() => other.View.MemberCount == 1, "the node that was cut off is removed");
        await cluster.HealAsync();
        await Assert.ThrowsAsync<NodeEvictedException>(() => first.Raw.Completion.WaitAsync(NodeRig.Patience));
        ReplySet<Answer>? answers = null;
        for (int attempt = 0; attempt < 100 && answers is not { Replies.Count: 1 }; attempt++)
        {
            try
            {
                answers = await group.RequestAsync(new Question("nails"), timeout: TimeSpan.FromSeconds(1))
                    .WaitAsync(NodeRig.Patience);
            }
            catch (NodeEvictedException)
            {
                // The old handle was still there.
            }
        }
        Assert.Equal(5, Assert.Single(answers!.Replies).Value.Count);
        Assert.NotSame(first, group.Current);
    }

    [Fact]
    public async Task After_a_slow_reader_requests_go_on_and_are_told_of()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here)
            .AddRequestGroup("stock", StockContext.Default.Question, StockContext.Default.Answer)
            .AddResponder<StockResponder>("stock").AddHealthCheck());
        var group = host.Services.GetRequiredKeyedService<IQuickSilverRequestGroup<Question, Answer>>("stock");
        RequestGroup<Question, Answer> first = group.Current!;
        End(first.Raw, new SlowConsumerException(ErrorCode.SlowConsumer, "too slow"));
        await NodeRig.UntilAsync(
            () => group.Current is { } next && !ReferenceEquals(next, first), "the group is joined again");
        Assert.Single((await group.RequestAsync(new Question("nails")).WaitAsync(NodeRig.Patience)).Replies);
        await NodeRig.UntilAsync(() => rig.Loggers.Ids.Contains(1611), "the log says that it is joined again");
        await NodeRig.UntilAsync(() => rig.Loggers.Ids.Contains(1612), "the log says that it is back");
    }

    [Fact]
    public async Task A_request_group_that_has_ended_for_good_is_unhealthy()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here)
            .AddRequestGroup("stock", StockContext.Default.Question, StockContext.Default.Answer).AddHealthCheck());
        var group = host.Services.GetRequiredKeyedService<IQuickSilverRequestGroup<Question, Answer>>("stock");
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        await HostRig.UntilWellAsync(health);
        End(group.Current!.Raw, new QuickSilverException(ErrorCode.OutOfMemory, "no memory"));
        await NodeRig.UntilAsync(() => rig.Loggers.Ids.Contains(1614), "the log says so");
        await NodeRig.UntilAsync(
            async () => await health.CheckHealthAsync() is { Status: HealthStatus.Unhealthy } report
                && report.Entries["quicksilver"].Description!.Contains(
                    "request group 'stock' has ended: no memory", StringComparison.Ordinal),
            "the end of the group is unhealthy");
        QuickSilverException told = await Assert.ThrowsAsync<QuickSilverException>(
            () => group.RequestAsync(new Question("nails")).WaitAsync(NodeRig.Patience));
        Assert.Equal(ErrorCode.OutOfMemory, told.Code);
    }

    [Fact]
    public async Task Mistakes_are_found_at_the_start()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(services => services.AddQuickSilver(rig.Here)
            .AddGroup("taken")
            .AddRequestGroup("taken", StockContext.Default.Question, StockContext.Default.Answer)
            .AddRequestGroup(
                "stock", StockContext.Default.Question, StockContext.Default.Answer,
                static options => options.MaxConcurrency = 0)
            .AddResponder<ConfigurationErrorTests.NoHandler>("stock")
            .AddResponder<StockResponder>("stokc"));
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync());
        string[] paths =
        [
            "RequestGroups[taken]: the name is registered twice", "RequestGroups[stock].MaxConcurrency: ",
            "RequestGroups[stock].Responder[NoHandler]: does not implement IResponder<Question, Answer>",
            "RequestGroups[stokc].Responder[StockResponder]: the group is not registered",
        ];
        foreach (string path in paths)
            Assert.Single(told.Failures, finding => finding.StartsWith(path, StringComparison.Ordinal));
        Assert.Equal(paths.Length, told.Failures.Count());
    }

    // The handle ends by itself, as that of a reader that is too slow.
    private static void End(Group group, QuickSilverException reason) => Assert.True(
        group.Node.Core.Services.TryPost(_ => group.Node.Core.FailLater(group.Handle, reason)));

    private static void Quick(QuickSilverOptions options) =>
        options.Membership.FailureTimeout = TimeSpan.FromSeconds(2);

    private static void Configure(TestCluster cluster, string name, QuickSilverOptions options)
    {
        Quick(options);
        cluster.Configure(name, options);
    }
}
