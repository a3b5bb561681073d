using System.Text.RegularExpressions;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Tests.Docs;

/// <summary>Types that the pages for contributors name are in the sources, in the room that the page says.</summary>
public sealed partial class NameTests
{
    private static readonly SourceNames Sources = new();

    [Theory]
    [InlineData("docs/architecture.md")]
    [InlineData("docs/paper-map.md")]
    [InlineData("docs/glossary.md")]
    [InlineData("docs/protocol.md")]
    public void Every_name_on_the_page_is_in_the_sources(string page)
    {
        string[] names = [
            .. Name().Matches(File.ReadAllText(SourceTree.PathOf(page)))
                .Select(static match => match.Groups[1].Value).Distinct()];
        Assert.True(names.Length > 10, $"only {names.Length} names were found on {page}");
        string missing = string.Join(", ", names.Where(static name => !Sources.Has(name)));
        Assert.True(missing.Length == 0, missing);
    }

    [Theory]
    [InlineData("StreamSender", true)]
    [InlineData("Dissemination.StreamSender", true)]
    [InlineData("Recovery.StreamSender", false)]
    [InlineData("Wire.TokenStream.Cleanup", true)]
    [InlineData("Wire.TokenStream.Dirt", false)]
    [InlineData("Loop.IoQuantum", true)]
    [InlineData("Loop.NoSuchOption", false)]
    [InlineData("OnMessageOutline", false)]
    public void A_name_that_moved_or_went_is_found(string name, bool isThere) =>
        Assert.Equal(isThere, Sources.Has(name));

    [GeneratedRegex(@"`([A-Z][A-Za-z0-9]+(?:\.[A-Z][A-Za-z0-9]+)*)(?:<T>)?`")]
    private static partial Regex Name();

    /// <summary>Types by name, with the namespace and text of their files; and all words of the sources.</summary>
    private sealed partial class SourceNames
    {
        private readonly ILookup<string, (string Space, string Folder, string Text)> _types;
        private readonly HashSet<string> _words = [];

        public SourceNames()
        {
            var types = new List<(string Name, string Space, string Folder, string Text)>();
            foreach (string file in new[] { "src", "bench", "samples", "tests" }.SelectMany(static folder =>
                Directory.EnumerateFiles(SourceTree.PathOf(folder), "*.cs", SearchOption.AllDirectories)))
            {
                if (file.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}")
                    || Path.GetFileName(file) == $"{nameof(NameTests)}.cs") continue;
                string text = File.ReadAllText(file), space = Space().Match(text).Groups[1].Value;
                string[] path = Path.GetRelativePath(SourceTree.PathOf("."), file).Split(Path.DirectorySeparatorChar);
                string folder = string.Join('.', path[1..^1]);
                foreach (Match type in Type().Matches(text)) types.Add((type.Groups[1].Value, space, folder, text));
                _words.UnionWith(Word().Matches(text).Select(static word => word.Value));
                // Projects, rooms, and rooms within rooms.
                _words.UnionWith([.. path, space, folder, .. path[1].Split('.'), .. SubRoom(space)]);
            }
            _types = types.ToLookup(
                static type => type.Name, static type => (type.Space, type.Folder, type.Text));
        }

        /// <summary>True for a word of the sources; a type behind its room; a member behind its type; an
        /// option.</summary>
        public bool Has(string name)
        {
            if (_words.Contains(name)) return true;
            string[] parts = name.Split('.');
            return parts.Length > 1
                && (IsType(parts, "") || IsType(parts[..^1], parts[^1]) || IsType([$"{parts[0]}Options"], parts[^1]));
        }

        private bool IsType(string[] parts, string member)
        {
            string room = $".{string.Join('.', parts[..^1])}.";
            return _types[parts[^1]].Any(type =>
                (parts.Length == 1 || $".{type.Space}.".Contains(room, StringComparison.Ordinal)
                    || $".{type.Folder}.".Contains(room, StringComparison.Ordinal))
                && (member.Length == 0 || Regex.IsMatch(type.Text, $@"\b{member}\b")));
        }

        private static string[] SubRoom(string space) =>
            space.Split('.') is [.., string room, string sub] ? [$"{room}.{sub}"] : [];

        [GeneratedRegex(@"^namespace ([\w.]+);", RegexOptions.Multiline)]
        private static partial Regex Space();

        [GeneratedRegex(@"\b(?:class|struct|interface|enum|record|delegate \w+) (?:struct )?(\w+)")]
        private static partial Regex Type();

        [GeneratedRegex(@"\b[A-Z]\w+\b")]
        private static partial Regex Word();
    }
}
