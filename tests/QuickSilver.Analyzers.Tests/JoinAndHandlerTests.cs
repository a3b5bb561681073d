namespace QuickSilver.Analyzers.Tests;

/// <summary>QS0003 and QS0004.</summary>
public sealed class JoinAndHandlerTests
{
    [Fact]
    public async Task A_start_or_join_whose_task_is_dropped_is_found() => Assert.Equal(
        ["""QS0003 _node.JoinAsync("g")""", "QS0003 QuickSilverNode.StartAsync()"],
        await Analysis.FindAsync("""
            void Begin()
            {
                _node.JoinAsync("g");
                QuickSilverNode.StartAsync();
                _ = _node.JoinAsync("meant");
            }

            Task Returned() => _node.JoinAsync("g");
            """));

    [Fact]
    public async Task An_async_lambda_where_nothing_is_returned_is_found() => Assert.Equal(
        ["QS0004 async (_, _) => await Task.Delay(1)", "QS0004 OnEvent"],
        await Analysis.FindAsync("""
            void Watch(TimerCallback other, Timer timer)
            {
                _node.Events += async (_, _) => await Task.Delay(1);
                _node.Events += OnEvent;
                _node.Events += (_, _) => { };
                Action foreign = async () => await Task.Delay(1);
                _ = new Timer(async _ => await Task.Delay(1));
            }

            async void OnEvent(object? sender, NodeEvent what) => await Task.Delay(1);
            """));

    [Fact]
    public void Every_rule_has_its_place_on_the_page()
    {
        string root = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(root, "QuickSilver.slnx"))) root = Path.GetDirectoryName(root)!;
        string page = File.ReadAllText(Path.Combine(root, "docs", "analyzers.md"));
        foreach (string id in new[] { "QS0001", "QS0002", "QS0003", "QS0004", "QS0005" })
        {
            Assert.Contains($"\n## {id}\n", page, StringComparison.Ordinal);
            Microsoft.CodeAnalysis.DiagnosticDescriptor rule = typeof(BlockingCallAnalyzer).Assembly.GetTypes()
                .SelectMany(type => type.IsAbstract ? [] : new[] { type })
                .Where(typeof(Microsoft.CodeAnalysis.Diagnostics.DiagnosticAnalyzer).IsAssignableFrom)
                .SelectMany(type => ((Microsoft.CodeAnalysis.Diagnostics.DiagnosticAnalyzer)
                    Activator.CreateInstance(type)!).SupportedDiagnostics)
                .Single(rule => rule.Id == id);
            Assert.Contains("docs/analyzers.md", $"{rule.Description}", StringComparison.Ordinal);
            // A path without a host is a link to nowhere in an editor.
            bool isAbsolute = Uri.TryCreate(rule.HelpLinkUri, UriKind.Absolute, out Uri? link)
                && link.Scheme == "https" && link.Fragment == $"#{id.ToLowerInvariant()}";
            Assert.True(rule.HelpLinkUri.Length == 0 || isAbsolute, rule.HelpLinkUri);
        }
    }
}
