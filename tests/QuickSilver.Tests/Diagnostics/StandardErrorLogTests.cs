using Microsoft.Extensions.Logging;
using QuickSilver.Diagnostics;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Diagnostics;

/// <summary>What a node says whose application has given no logger factory.</summary>
[Collection(NodeCollection.Name)]
public sealed class StandardErrorLogTests
{
    [Fact]
    public void Warnings_and_errors_are_lines_on_the_error_stream_and_the_rest_is_not_said()
    {
        TextWriter before = Console.Error;
        using var written = new StringWriter();
        Console.SetError(written);
        try
        {
            ILogger logger = StandardErrorLog.Instance.CreateLogger("QuickSilver");
            logger.Log(LogLevel.Information, 1, "started", null, static (text, _) => text);
            logger.Log(LogLevel.Warning, 1_115, "waits", null, static (text, _) => text);
            logger.Log(
                LogLevel.Error, 1_501, "threw", new InvalidOperationException("why"), static (text, _) => text);
        }
        finally
        {
            Console.SetError(before);
        }
        string[] expected =
        [
            "QuickSilver 1115, Warning: waits", "QuickSilver 1501, Error: threw (InvalidOperationException: why)", "",
        ];
        Assert.Equal(expected, written.ToString().Split(Environment.NewLine));
    }
}
